"""The journal's own duties beside the sweeper: asking tools about lost effects, and old lines."""

import logging
import time
from functools import partial
from typing import Final

from django.conf import settings

from execution.beside import Beside
from reconciliation.behind import asking
from reconciliation.behind.models import JournalMark, MissingLine
from reconciliation.errors import JournalError
from reconciliation.journal.port import Mark
from reconciliation.journal.rooms import room
from tenants.paces import Pace

log = logging.getLogger(__name__)

A_DAY: Final = 24 * 3600.0
LOOK_SECONDS: Final = 1.0
FORGET_SECONDS: Final = 3600.0

_turns: Final = Beside()
_asking: Final = Pace()
_forgetting: Final = Pace()


def ask() -> int:
    """Start what is due, one question per tool at a time; returns how many lines."""
    return sum(map(_start, asking.due())) if _asking.is_time(LOOK_SECONDS) else 0


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    return _turns.wait(seconds)


def forget() -> int:
    """Delete lines older than any backup that may be restored, once an hour; returns how many."""
    if not _forgetting.is_time(FORGET_SECONDS):
        return 0
    mark = JournalMark.objects.first()
    if mark is None:
        return 0
    oldest = time.time() - settings.KEDGE_JOURNAL_DAYS * A_DAY
    try:
        return room().forget(before=Mark(mark.seq, mark.digest, mark.at), older_than=oldest)
    except JournalError as error:
        log.warning("old lines stay: %s", error)
        return 0


def _start(line: MissingLine) -> int:
    if _turns.room(line.tool, at_once=1) <= 0:
        return 0
    _turns.start(line.tool, partial(_ask, line))
    return 1


def _ask(line: MissingLine) -> None:
    try:
        asking.ask(line)
    except Exception:  # the line is due again
        log.exception("asking about a missing line was not kept")
