"""Looks again for waiting requests, beside the sweeper: of each tool as many at once as it says."""

import logging
from functools import partial
from typing import Final

from approvals.drift.looks import Look
from execution.beside import Beside
from reconciliation import freshness
from reconciliation.tools import Tool

log = logging.getLogger(__name__)

_looks: Final = Beside()


def look_again() -> int:
    """Start the looks that are due and for which there is room; returns how many."""
    return sum(_start(tool.name, each) for tool in freshness.tools() for each in _claimed(tool))


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    return _looks.wait(seconds)


def _claimed(tool: Tool) -> list[Look]:
    room = _looks.room(tool.name, at_once=tool.look_again.at_once)
    return freshness.claim(tool, room=room) if room > 0 else []


def _start(name: str, claimed: Look) -> int:
    _looks.start(name, partial(_look, claimed))
    return 1


def _look(claimed: Look) -> None:
    try:
        freshness.look(claimed)
    except Exception:  # the claim runs out, and somebody looks again
        log.exception("a look was not kept")
