"""What can be refused of a rollback; each docstring is the sentence an operator reads."""

from releases.errors import ReleaseRefusedError


class RollbackRefusedError(ReleaseRefusedError):
    """This release cannot be rolled back like that. Nothing was changed."""


class RollbackMovedError(RollbackRefusedError):
    """This is not the rollback that your page showed; load the page again. Nothing was changed."""


class SecondNeededError(RollbackRefusedError):
    """This rollback takes a second person: somebody else has to say yes to it first."""


class SignOffRefusedError(RollbackRefusedError):
    """This effect cannot be signed off like that. Nothing was changed."""
