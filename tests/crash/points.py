"""Kill points: which process dies where. They are found by recording runs, never written down."""

from collections.abc import Iterable
from dataclasses import dataclass

# Who acts on a run, besides the world.
START, HORSE, PARENT, SWEEP, PERSON = "start", "horse", "parent", "sweep", "person"
CANCEL = "cancel"
JUDGE = "judge"  # a person again, with an unknown outcome before them
EDIT = "edit"  # two people, with a state before them that nobody can go on from
FORK = "fork"  # a person who wants a part of a run once more
PLAN, CARRY = "plan", "carry"  # a person with a plan over held runs, and who carries it out
REVOKE = "revoke"  # a person who takes a run from a worker
MOVE = "move"  # somebody who orders a run to another combo, whose code reads another state

# Not boundaries of the engine: a moment inside a call, and every statement to PostgreSQL.
IN_THE_HOOK = "in the hook"
STATEMENT = "sql"

# After one of these a run stands somewhere new: a crash further on is one of depth 1 again.
PROGRESS = frozenset({"commit:after", "receipt:after", "ask:after", "finish:after"})
# A commit inside a larger transaction is durable only when that one is.
AND_SO_MANY_MORE = 2


@dataclass(frozen=True, order=True)
class Point:
    """A boundary that the `nth` process of a role reached; 0: whichever reaches it first."""

    role: str
    nth: int
    at: str

    @property
    def boundary(self) -> str:
        """The name without its number: "commit:before"."""
        return self.at.partition("@")[0]

    def __str__(self) -> str:
        return f"{self.role}{self.nth or ''} {self.at}"


def until_progress(reached: Iterable[Point]) -> list[Point]:
    """The part of a recovery that is not yet a run like any other, each boundary once.

    Sweeper rounds repeat themselves as often as it takes, so theirs are matched by name alone.
    """
    found: dict[Point, None] = {}
    left = -1
    for point in reached:
        found[Point(point.role, 0, point.at) if point.role == SWEEP else point] = None
        left -= 1
        if left < 0 and point.role == HORSE and point.boundary in PROGRESS:
            left = AND_SO_MANY_MORE
        if left == 0:
            break
    return list(found)
