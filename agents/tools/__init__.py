"""The tools of this installation: each changes one part of the world, under one contract."""
