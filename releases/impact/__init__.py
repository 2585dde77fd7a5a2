"""What a move of a release means for what waits: questions that people have, runs that are paused."""
