"""The sweeper's part: the rules are judged every half minute, never more often."""

from typing import Final

from execution.alerts import keeping
from tenants.paces import Pace

PACE_SECONDS: Final = 30.0
_pace: Final = Pace()


def watch() -> int:
    """Judge the rules if it is time; returns how many went off."""
    return keeping.watch() if _pace.is_time(PACE_SECONDS) else 0
