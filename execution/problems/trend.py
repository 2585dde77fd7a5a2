"""How often a problem was seen, hour by hour, and the small drawing of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from tenants.database import execute

HOURS: Final = 12
WIDTH: Final = 5  # of a bar and the gap after it
HEIGHT: Final = 18

# Index: problem_runs_over_time. A run whose case was decided has two rows, and counts once.
SEEN: Final = """
SELECT problem_id, floor(extract(epoch FROM clock_timestamp() - since) / 3600)::int AS ago,
       count(DISTINCT run_id)
  FROM execution_problemrun
 WHERE problem_id = ANY(%(problems)s)
   AND since > clock_timestamp() - make_interval(hours => %(hours)s)
 GROUP BY 1, 2
"""


@dataclass(frozen=True)
class Bar:
    """One hour: where it is drawn, in units of the drawing, and how many were seen."""

    x: int
    y: int
    height: int
    seen: int


@dataclass(frozen=True)
class Trend:
    """The hours, the oldest first; `words` says the same as the drawing."""

    bars: Sequence[Bar]
    words: str
    width: int = HOURS * WIDTH
    height: int = HEIGHT


def of(problems: Sequence[UUID]) -> dict[UUID, list[int]]:
    """How many runs were seen in each of the last hours, the oldest first, per problem."""
    found = {problem: [0] * HOURS for problem in problems}
    for problem, ago, n in execute(SEEN, {"problems": list(problems), "hours": HOURS}):
        if 0 <= ago < HOURS:
            found[problem][HOURS - 1 - ago] = n
    return found


def drawn(hours: Sequence[int]) -> Trend:
    """The drawing of these numbers. Not nothing is never drawn as nothing. Pure."""
    most = max(hours, default=0)
    bars = []
    for at, seen in enumerate(hours):
        height = max(round(seen / most * HEIGHT), 2) if seen else 1
        bars.append(Bar(at * WIDTH, HEIGHT - height, height, seen))
    return Trend(bars, " ".join(map(str, hours)))
