"""What may be done with a run: go on, go on from earlier, end it, or fork it. Pure."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

RESUME: Final = "resume"
GO_ON_FROM: Final = "go_on_from"
CANCEL: Final = "cancel"
FORK: Final = "fork"
TRANSITIONS: Final = (RESUME, GO_ON_FROM, CANCEL, FORK)


@dataclass(frozen=True)
class Transition:
    """One of `TRANSITIONS`. `seq` is the checkpoint it starts from; None is the head.

    `again` are effects (action ids) that a fork is to send again on purpose; `withdraws`: the fork
    withdraws what its source has proposed and not sent.
    """

    how: str
    seq: int | None = None
    again: frozenset[UUID] = frozenset()
    withdraws: bool = False

    @classmethod
    def resume(cls) -> "Transition":
        """Go on, or try again, from the head."""
        return cls(RESUME)

    @classmethod
    def go_on_from(cls, seq: int) -> "Transition":
        """Go on in the same run from an earlier checkpoint."""
        return cls(GO_ON_FROM, seq)

    @classmethod
    def cancel(cls) -> "Transition":
        """End the run."""
        return cls(CANCEL)

    @classmethod
    def fork(
        cls, seq: int, again: frozenset[UUID] = frozenset(), *, withdraws: bool = False
    ) -> "Transition":
        """Begin a new run from a checkpoint of this one."""
        return cls(FORK, seq, again, withdraws)
