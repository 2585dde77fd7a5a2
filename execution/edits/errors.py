"""What can go wrong with a state that is written by hand. The docstring is what an operator reads."""

from checkpoints.errors import RecordError


class EditRefusedError(RecordError):
    """This state cannot be proposed for the run. Nothing was changed."""


class UnreconciledError(EditRefusedError):
    """An effect of this run is not settled yet. What became of it comes first."""
