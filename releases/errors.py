"""What can be refused of a release; each docstring is the sentence an operator reads."""

from checkpoints.errors import RecordError


class ReleaseRefusedError(RecordError):
    """This release cannot be begun or moved like that. Nothing was changed."""


class MoveChangedError(ReleaseRefusedError):
    """This is not the move that your page showed; load the page again. Nothing was changed."""


class SecondPersonNeededError(ReleaseRefusedError):
    """This move takes a second person: somebody else has to say yes to it first."""


class PolicyProofNeededError(ReleaseRefusedError):
    """Confirm that it is you first: saying a policy needs a proof of the last ten minutes."""


class PolicyMovedError(ReleaseRefusedError):
    """Somebody has said another policy since your page was shown. Look again, then say it."""
