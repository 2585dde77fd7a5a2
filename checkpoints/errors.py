"""What can go wrong with the record. The docstring is the sentence an operator reads."""

from typing import Any, ClassVar


class RecordError(Exception):
    """The record refused a change."""


class GraphError(RecordError):
    """The graph is declared wrongly."""


class LeaseLostError(RecordError):
    """Another worker owns this run now; nothing of this worker's is written any more."""


class UnknownTaskTypeError(RecordError):
    """This installation runs no task type of that name."""


class InputRefusedError(RecordError):
    """The input does not match the schema of the task type."""


class KeyReusedError(RecordError):
    """A run with this business key exists already, with another input."""


class StoppedError(RecordError):
    """New runs are stopped here; the stop must be lifted first."""


class StopRefusedError(RecordError):
    """You may not stop or lift this. Nothing was changed.

    `code`: *machine* (only a signed-in person), *no_right* (not active, or without the right at
    this tenant), *not_everywhere* (without the right at every tenant), *same_person* (whoever
    proposed to lift cannot confirm it too), *proposer* (who proposed it has lost the right).
    """

    SENTENCES: ClassVar = {
        "machine": "Only a person may do this, never a program.",
        "no_right": "This takes the right to operate runs at the tenant.",
        "not_everywhere": "This holds for every tenant, so it takes the right to operate runs at each.",
        "same_person": "You proposed to lift it, so somebody else has to confirm it.",
        "proposer": "Whoever proposed to lift it may not lift it any more; withdraw it and propose it anew.",
    }

    def __init__(self, code: str) -> None:
        super().__init__(f"{self.SENTENCES[code]} Nothing was changed.")
        self.code = code


class ProofNeededError(RecordError):
    """Confirm that it is you first: lifting a stop needs a proof of the last ten minutes."""


class IllegalMoveError(RecordError):
    """The run is not in a state that allows this."""


class HeldByAnotherError(RecordError):
    """Somebody else is at this. Take it over first, or leave it to them. Nothing was changed.

    `claim` is theirs, a Claim; None when they let go of it at this moment.
    """

    def __init__(self, claim: Any) -> None:
        since = claim and f"held by {claim.holder} since {claim.since:%H:%M} UTC"
        super().__init__(since or "")
        self.claim = claim


class ClaimRefusedError(RecordError):
    """You cannot be at this, or not hand it to them. Nothing was changed.

    `code`: *no_right* (not active, or without the right that acting on it takes), *colleague*
    (handed to oneself, or to somebody without that right).
    """

    SENTENCES: ClassVar = {
        "no_right": "it takes the right to act on it at this tenant",
        "colleague": "this colleague has not the right to act on it",
    }

    def __init__(self, code: str) -> None:
        super().__init__(self.SENTENCES[code])
        self.code = code


class DamagedRecordError(RecordError):
    """What was read back is not what was committed."""


class MissingBlobError(DamagedRecordError):
    """A large value that the state names is gone."""


class UnmigratableError(RecordError):
    """No migrator can bring this state to a schema that this code reads."""


class StateRefusedError(RecordError):
    """The state a node returned cannot be kept."""


class ForkRefusedError(RecordError):
    """This run cannot be forked like this. Nothing was changed."""


class ForkMovedError(ForkRefusedError):
    """Something moved since this page was made, so nothing was forked. Read it again."""


class RepinRefusedError(RecordError):
    """This run cannot be moved to that combo. Nothing was changed.

    `code`: *ended* (the run has), *there_already*, *other_task*, *ordered_already*, *no_reason*,
    *not_open* (the order has ended), *leased* (a worker is at the run), *in_flight* (something of it
    was sent, or answered, and the run has not taken in what became of it).
    """

    SENTENCES: ClassVar = {
        "ended": "The run has ended.",
        "there_already": "The run is pinned to that combo already.",
        "other_task": "That combo is of another task.",
        "ordered_already": "It is ordered already that this run moves.",
        "no_reason": "Say why: it stands in the audit trail.",
        "not_open": "This order has ended.",
        "leased": "A worker is at the run; it moves at its next boundary.",
        "in_flight": "The run has still to take in what became of an effect, under the combo that proposed it.",
    }

    def __init__(self, code: str) -> None:
        super().__init__(f"{self.SENTENCES[code]} Nothing was changed.")
        self.code = code


class NotInComboError(RecordError):
    """A node asks for something that the combo of its run does not have."""


class UnknownVariantError(RecordError):
    """The task type has no such variant."""
