"""Fleet change: one rule, carried through one repository, pushed and told to its maintainer."""
