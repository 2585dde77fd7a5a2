"""The looks of a release: each of its schedule taken once, kept with its sample, judged again at will."""
