"""Record and world went apart: noticed, listed, asked about, settled by people, and lifted by two."""
