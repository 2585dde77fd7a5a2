"""The measured test of a candidate against the stable combo: numbers in, a verdict out. Pure."""
