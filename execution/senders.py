"""Sends notifications beside the sweeper: one thread at a time, and no run waits for a mail server."""

import logging
import threading
from typing import Final

from django.db import connections

from approvals.people import notices as requests
from checkpoints import notices as cases
from tenants.notifications import sending
from tenants.paces import Pace

log = logging.getLogger(__name__)

MOST: Final = 50
# Reminders are late by at most this; looked for each round they would cost more than they tell.
PACE_SECONDS: Final = 30.0

_under_way: set[threading.Thread] = set()
_reminders: Final = Pace()


def send() -> int:
    """Start to send what is due, unless somebody is at it; returns how many threads were started."""
    _under_way.difference_update([thread for thread in _under_way if not thread.is_alive()])
    if _under_way or not sending.is_due():
        return 0
    thread = threading.Thread(target=_send, name="send notifications", daemon=True)
    _under_way.add(thread)
    thread.start()
    return 1


def remind() -> int:
    """Put reminders and escalations into the outbox, at most every half minute."""
    if not _reminders.is_time(PACE_SECONDS):
        return 0
    sending.prune()
    asked = requests.remind(MOST) + requests.escalate(MOST) + requests.unsent(MOST)
    return asked + cases.escalate_cases(MOST)


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    for thread in list(_under_way):
        thread.join(seconds)
    return not any(thread.is_alive() for thread in _under_way)


def _send() -> None:
    try:
        while sending.is_due() and sending.send_due():
            pass
    except Exception:  # the claim runs out, and somebody sends again
        log.exception("notifications were not sent")
    finally:
        connections.close_all()
