"""Doors: a tool that does not answer is not asked to do more until it answers again."""
