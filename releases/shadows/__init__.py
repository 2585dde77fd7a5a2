"""Shadows of a release: twins of live runs on the candidate, compared with what the live runs did."""
