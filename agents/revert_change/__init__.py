"""The task type `revert_change`: takes a pushed change back with a commit of its own."""
