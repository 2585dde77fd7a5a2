"""Alert rules: when a problem grows past a bound, its owner is told, once until it is over."""
