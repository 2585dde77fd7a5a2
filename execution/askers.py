"""Asks again about effects that people have a case of, beside the sweeper: no worker waits for it."""

import logging
from functools import partial
from typing import Final

from django.conf import settings

from execution.beside import Beside
from reconciliation import lateanswers
from reconciliation.lateanswers import Turn
from tenants.paces import Pace

log = logging.getLogger(__name__)

# What is due is not looked for in every round: it reads all open cases of unknown outcomes.
SHARE_OF_THE_PACE: Final = 0.1
LONGEST: Final = 5.0

_turns: Final = Beside()
_pace: Final = Pace()


def ask_again() -> int:
    """Start what is due, one turn per tool and tenant at a time; returns how many cases."""
    pause = min(settings.KEDGE_ASK_AGAIN_SECONDS * SHARE_OF_THE_PACE, LONGEST)
    if not _pace.is_time(pause):
        return 0
    return sum(_start(turn) for turn in lateanswers.due())


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    return _turns.wait(seconds)


def _start(turn: Turn) -> int:
    kind = f"{turn.tenant_id} {turn.tool}"
    if _turns.room(kind, at_once=1) <= 0:
        return 0
    _turns.start(kind, partial(_take, turn))
    return len(turn.cases)


def _take(turn: Turn) -> None:
    try:
        lateanswers.take(turn)
    except Exception:  # the cases are due again
        log.exception("asking again was not kept")
