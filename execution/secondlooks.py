"""Has a model look at open questions, beside the sweeper: few at a time, and nobody waits for them.

Each look is a thread of its own with its own connection, as in `lookers`; when the process ends they
end, their claims run out, and somebody asks again.
"""

import logging
import threading
from typing import Final

from django.conf import settings
from django.db import connections

from approvals.looking import asking, turns
from approvals.looking.port import Looker, looker
from approvals.looking.turns import Turn

log = logging.getLogger(__name__)

AT_ONCE: Final = 4

_under_way: set[threading.Thread] = set()


def ask() -> int:
    """Start the second looks that are due and for which there is room; returns how many."""
    who = looker()
    room = AT_ONCE - len(_alive())
    if who is None or room <= 0:
        return 0
    claimed = turns.claim(room=room, a_minute=settings.KEDGE_SECOND_LOOKS_PER_MINUTE)
    for turn in claimed:
        _start(turn, who)
    return len(claimed)


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    for thread in list(_under_way):
        thread.join(seconds)
    return not _alive()


def _start(turn: Turn, who: Looker) -> None:
    thread = threading.Thread(target=_take, args=[turn, who], name="second look", daemon=True)
    _under_way.add(thread)
    thread.start()


def _alive() -> set[threading.Thread]:
    _under_way.difference_update([thread for thread in _under_way if not thread.is_alive()])
    return _under_way


def _take(turn: Turn, who: Looker) -> None:
    try:
        asking.take(turn, who)
    except Exception as error:  # what cannot even be kept is asked again when the claim runs out
        log.exception("a second look was not kept")
        asking.failed(turn, f"It broke off ({type(error).__name__}).")
    finally:
        connections.close_all()
