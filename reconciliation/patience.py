"""How long a tool that does not answer is asked again before a person is called, and how often."""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings

from reconciliation.tools import Tool

FIRST_WAIT_SECONDS: Final = 1.0
LONGEST_WAIT_SECONDS: Final = 60.0
# Those who were met by the same silence do not all come back at the same moment.
SPREAD: Final = 0.25


def of(tool: Tool) -> timedelta:
    """How long this tool may stay silent: as it declares (`patience_seconds`), else as all."""
    declared = getattr(tool, "patience_seconds", None)
    return timedelta(seconds=declared or settings.KEDGE_PATIENCE_SECONDS)


def wait(asked: int, *, who: UUID, at_least: float = 0.0) -> timedelta:
    """How long to wait after so many silences (from 1): ever longer up to a minute, spread out.

    `at_least` is what the tool itself asked for, in seconds.
    """
    base = _shortest(asked)
    # The same for the same silence: a turn that is killed here waits no other time again.
    share = ((who.int + asked * 7919) % 1009) / 1009
    return timedelta(seconds=max(base * (1 + SPREAD * share), at_least))


def silences(tool: Tool) -> int:
    """How many silences in a row, each waited for, outlast this tool's patience."""
    left, asked = of(tool).total_seconds(), 0
    while left > 0:
        asked += 1
        left -= _shortest(asked)
    return asked


def asked_for(silence: Exception) -> float:
    """How many seconds the tool asked to be left alone (`Retry-After`); 0 when it did not."""
    return max(0.0, float(getattr(silence, "retry_after", None) or 0.0))


def _shortest(asked: int) -> float:
    longest = LONGEST_WAIT_SECONDS / (1 + SPREAD)
    return min(FIRST_WAIT_SECONDS * 2.0 ** min(asked - 1, 16), longest)
