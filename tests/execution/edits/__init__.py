"""States written by hand, as the engine proposes, judges and commits them."""
