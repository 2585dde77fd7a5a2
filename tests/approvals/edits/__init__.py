"""The hash and the tables of states written by hand."""
