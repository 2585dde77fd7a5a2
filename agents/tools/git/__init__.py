"""Pushing one commit to one branch of a git remote, provably at most once."""
