"""How the recoveries of an arm went: by the one definition, with those that are not over yet."""

from dataclasses import dataclass
from typing import Final

from execution.recoveries.defining import BEGUN, RECOVERED, SECONDS
from releases.gates.samples import Count
from releases.gates.survival import Spell
from releases.numbers.subjects import ARM, ArmOf
from tenants.database import execute

MOST: Final = 5_000
A_SECOND: Final = 1000


@dataclass(frozen=True)
class Recoveries:
    """Recovered by themselves of those begun, and how long each took; `unread` have no sound times."""

    recovered: Count
    spells: tuple[Spell, ...]
    unread: int


# What is under way, or was ended by a person, took at least so long: by the database's clock. Relies
# on the index of recoveries by run.
SPELLS: Final = f"""
{ARM}
SELECT {RECOVERED},
       CASE WHEN {RECOVERED} THEN {SECONDS}
            ELSE extract(epoch FROM coalesce(ended_at, clock_timestamp()) - noticed_at)::float8 END,
       extract(epoch FROM clock_timestamp() - noticed_at)::float8
  FROM checkpoints_recovery JOIN arm ON arm.id = run_id
 WHERE {BEGUN}
 ORDER BY checkpoints_recovery.id DESC LIMIT %(most)s::int
"""  # noqa: S608 - names of ours


def count(arm: ArmOf) -> Recoveries:
    """The newest recoveries of the arm's runs."""
    rows = execute(SPELLS, arm.values(most=MOST))
    sound = [row for row in rows if row[1] is not None and 0 <= row[1] <= row[2]]
    return Recoveries(
        recovered=Count(sum(over for over, _, _ in rows), len(rows)),
        spells=tuple(Spell(_ms(took), over, _ms(age)) for over, took, age in sound),
        unread=len(rows) - len(sound),
    )


def _ms(seconds: float) -> int:
    return round(seconds * A_SECOND)
