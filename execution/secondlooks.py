"""Has a model look at open questions, beside the sweeper; a claim that runs out is asked again."""

import logging
from functools import partial
from typing import Final

from django.conf import settings

from approvals.looking import asking, turns
from approvals.looking.port import Looker, looker
from approvals.looking.turns import Turn
from execution.beside import Beside

log = logging.getLogger(__name__)

AT_ONCE: Final = 4
KIND: Final = "second look"

_looks: Final = Beside()


def ask() -> int:
    """Start the second looks that are due and for which there is room; returns how many."""
    who = looker()
    room = _looks.room(KIND, at_once=AT_ONCE)
    if who is None or room <= 0:
        return 0
    claimed = turns.claim(room=room, a_minute=settings.KEDGE_SECOND_LOOKS_PER_MINUTE)
    for turn in claimed:
        _looks.start(KIND, partial(_take, turn, who))
    return len(claimed)


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    return _looks.wait(seconds)


def _take(turn: Turn, who: Looker) -> None:
    try:
        asking.take(turn, who)
    except Exception as error:  # what cannot even be kept is asked again when the claim runs out
        log.exception("a second look was not kept")
        asking.failed(turn, f"It broke off ({type(error).__name__}).")
