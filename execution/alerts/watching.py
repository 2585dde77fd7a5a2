"""The sweeper's part: the rules are judged every half minute, never more often."""

import time
from typing import Final

from execution.alerts import keeping

PACE_SECONDS: Final = 30.0
_looked: dict[str, float] = {}


def watch() -> int:
    """Judge the rules if it is time; returns how many went off."""
    if time.monotonic() - _looked.get("at", -PACE_SECONDS) < PACE_SECONDS:
        return 0
    _looked["at"] = time.monotonic()
    return keeping.watch()
