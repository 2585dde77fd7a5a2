"""Workers and the sweeper work on tables they know: they wait for a migration, and end after one.

A newer one waits until the tables are migrated. An older one begins nothing once they were, finishes
what is in flight (every migration leaves the release before it working: CONTRIBUTING), and ends.
"""

import logging
import signal
import sys
import time
from types import FrameType
from typing import Final, NoReturn

from django.db import DatabaseError, InterfaceError

from execution import processes
from tenants import tables

log = logging.getLogger(__name__)

LOOK_EVERY_SECONDS: Final = 0.5
TELL_EVERY_SECONDS: Final = 10.0
ENDING: Final = (signal.SIGTERM, signal.SIGINT)


def wait_for_tables(name: str, kind: str) -> None:
    """Return once the tables are those this code knows. Exits when they are newer, or on SIGTERM."""
    if may_begin():
        return
    before = {number: signal.signal(number, _end) for number in ENDING}
    try:
        _wait(name, kind)
    except SystemExit:
        processes.ended(name)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def by_what(name: str) -> str:
    """Why this process must begin nothing more; "" when it may, or the database does not say."""
    try:
        found = tables.standing()
    except (DatabaseError, InterfaceError):
        return ""  # whatever it would begin next asks the same database
    if found.is_ == tables.KNOWN:
        return ""
    log.warning("%s ends once nothing is in flight. %s", name, found.sentence)
    return found.sentence


def may_begin() -> bool:
    """Whether the tables are those this code knows. Raises Django's database errors."""
    return tables.standing().is_ == tables.KNOWN


def _wait(name: str, kind: str) -> None:
    told: float | None = None
    while (found := tables.standing()).is_ != tables.KNOWN:
        if found.is_ == tables.NEWER:
            sys.exit(f"kedge: {found.sentence}")
        if told is None or time.monotonic() - told > TELL_EVERY_SECONDS:
            told = time.monotonic()
            log.warning("%s waits. %s It begins by itself then.", name, found.sentence)
            _show(name, kind, found.sentence)
        time.sleep(LOOK_EVERY_SECONDS)
    if told is not None:
        log.info("%s begins: the tables are those it knows", name)


def _show(name: str, kind: str, sentence: str) -> None:
    """On the System page, if its table is there already."""
    try:
        processes.started(name, kind, says=sentence)
    except DatabaseError as error:
        log.info("the System page does not show that %s waits: %s", name, error)


def _end(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - a signal handler's shape
    sys.exit(0)
