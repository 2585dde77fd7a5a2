"""Says that a process, and the spool of its machine, is alive. A failure is logged, never raised: work goes on without it."""

import logging
import os
from typing import Any

from django.db import DatabaseError, connection
from django.db.models.functions import Now

from execution.models import Process
from reconciliation import spoolplaces

log = logging.getLogger(__name__)


def started(name: str, kind: str, **facts: Any) -> None:
    """A process of this name begins; what an earlier one said is forgotten."""
    row = {"kind": kind, "pid": os.getpid(), "facts": facts, "started_at": Now(), "seen_at": Now()}
    Process.objects.update_or_create(name=name, defaults=row)
    spoolplaces.seen()


def seen(name: str, **facts: Any) -> None:
    """The process is alive and says what it does."""
    try:
        Process.objects.filter(name=name).update(seen_at=Now(), facts=facts)
    except DatabaseError as error:
        log.warning("cannot say that %s is alive: %s", name, error)
        # An idle worker begins no request that would open a lost connection anew.
        connection.close()
    spoolplaces.seen()


def ended(name: str) -> None:
    """The process ends in order."""
    try:
        Process.objects.filter(name=name).delete()
    except DatabaseError as error:
        log.warning("cannot say that %s has ended: %s", name, error)
    spoolplaces.left()
