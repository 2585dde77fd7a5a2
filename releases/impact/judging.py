"""What a move changes for one run that waits, and for its question. Pure.

A run stays with its combo whatever is released: what a move can take from it is the workers of its
code. Whoever widens a canary leaves them there; whoever promotes goes on to replace them. A run whose
code goes has to be moved on to the candidate, which withdraws what it has asked and asks anew.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from releases.gates import standing

# What becomes of the code that a combo needs.
SAME: Final = "same"  # the candidate's own: whoever runs it runs these too
STAYS: Final = "stays"  # other code, and live workers that this move leaves there
GOES: Final = "goes"  # other code, of which no worker may be left

# What becomes of a question.
UNAFFECTED: Final = "unaffected"
DRY_RUN: Final = "dry_run"
VOID: Final = "void"
# What becomes of a paused run.
CAN: Final = "can"
BLOCKED: Final = "blocked"
# Of either, where this process does not have the candidate's code, or enough was looked at.
UNTOLD: Final = "untold"

QUESTIONS: Final = (UNAFFECTED, DRY_RUN, VOID, UNTOLD)
RUNS: Final = (CAN, BLOCKED, UNTOLD)


@dataclass(frozen=True)
class Counts:
    """How many become what; all of them together are `all`."""

    of: Mapping[str, int] = field(default_factory=dict)

    @property
    def all(self) -> int:
        return sum(self.of.values())

    def as_json(self, names: Collection[str]) -> dict[str, Any]:
        """As it is kept beside a move."""
        return {"all": self.all, **{name: self.of.get(name, 0) for name in names}}


def code(part: str, candidate: str, *, alive: Collection[str], move: str) -> str:
    """What becomes of a code part (hex) with a move towards the candidate's."""
    if part == candidate:
        return SAME
    return STAYS if move == standing.WIDEN and part in alive else GOES


def run(becomes: str, *, reads: bool | None) -> str:
    """What becomes of a paused run; `reads`: the candidate's code reads it (None: nobody can tell)."""
    if becomes in (SAME, STAYS):
        return CAN
    if reads is None:
        return UNTOLD
    return CAN if reads else BLOCKED


def question(becomes: str, *, reads: bool | None, has_tool: bool) -> str:
    """What becomes of its question, or of a yes that no effect has used yet."""
    if becomes in (SAME, STAYS):
        return UNAFFECTED
    if not has_tool or reads is False:
        return VOID
    return UNTOLD if reads is None else DRY_RUN


def counted(what: Counter[str]) -> Counts:
    """The counts of what was judged one by one."""
    return Counts(dict(what))
