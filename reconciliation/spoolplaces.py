"""Which folders hold spooled receipts, so that one whose machine is gone is known and asked for.

A folder carries an id of its own: moved, mounted elsewhere or copied to another machine it is the
same place, and one that several machines share is one place.
"""

import logging
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from canonical.redaction import ours
from reconciliation import spool
from reconciliation.errors import SpoolError
from reconciliation.models import SpoolPlace
from tenants import audit, clock
from tenants.actors import Actor
from tenants.keys import hiding

log = logging.getLogger(__name__)

NAME: Final = ".place"
EVERY_SECONDS: Final = 60.0
SILENT_AFTER: Final = timedelta(minutes=15)
_said: dict[Path, float] = {}


@dataclass(frozen=True)
class BroughtIn:
    """What became of the files of a folder: recorded now or known before; those nobody can read."""

    place: UUID | None
    receipts: int
    unreadable: int


def seen(*, every: float = EVERY_SECONDS) -> None:
    """Say that this machine's folder is looked after, at most once in `every` seconds.

    A failure is logged, never raised: work goes on without it.
    """
    folder = spool.directory()
    if time.monotonic() - _said.get(folder, -every) < every:
        return
    _said[folder] = time.monotonic()
    try:
        row = {"machine": socket.gethostname(), "folder": str(folder), "seen_at": Now()}
        SpoolPlace.objects.update_or_create(id=_made_id(folder), defaults=row)
    except (DatabaseError, OSError, ValueError) as error:
        log.warning("cannot say that the spool %s is looked after: %s", folder, error)


def left() -> None:
    """A process of this machine ends in order: an empty folder holds nothing that could be missed."""
    folder = spool.directory()
    _said.pop(folder, None)
    try:
        if not spool.is_waiting():
            _known(folder).delete()
    except (DatabaseError, OSError) as error:
        log.warning("cannot say that the spool %s is left: %s", folder, error)


def silent() -> list[SpoolPlace]:
    """Folders that nobody has looked after for `SILENT_AFTER`, the longest silent first."""
    lost = SpoolPlace.objects.filter(seen_at__lt=clock.now() - SILENT_AFTER)
    return list(lost.order_by("seen_at")[:100])


def bring_in(folder: Path, *, actor: Actor) -> BroughtIn:
    """Record the receipts of a folder of another machine, wherever it was brought; audited.

    Idempotent: what the record knows is not recorded twice, and a folder that is done is done.
    `folder` is the spool or the journal's folder above it. Raises `SpoolError` when it is neither.
    """
    folder = folder / "spool" if (folder / "spool").is_dir() else folder
    if not folder.is_dir():
        raise SpoolError(f"{folder} is no folder of this machine")
    receipts = spool.bring_in(folder)
    place, unreadable = _id(folder), len(list(folder.glob("*.json")))
    with transaction.atomic():
        if not unreadable:
            _known(folder).delete()
        audit.record(
            None,
            actor,
            "bring_in_spool",
            hiding.text(f"spool {place}"),
            folder=hiding.text(str(folder)),
            receipts=receipts,
            unreadable=unreadable,
        )
    return BroughtIn(place, receipts, unreadable)


def give_up(place: UUID, *, actor: Actor, reason: str) -> None:
    """Say that a folder is lost for good: what it may have held is found out by reconciling."""
    with transaction.atomic():
        if not SpoolPlace.objects.filter(id=place).delete()[0]:
            raise SpoolError(f"nothing is known of a spool {place}")
        said = hiding.text(reason)
        audit.record(None, actor, "give_up_spool", ours("spool %(id)s", id=place), reason=said)


def _made_id(folder: Path) -> UUID:
    """The folder's id; it gets one when it has none. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), (folder / NAME).open("x") as file:
        file.write(str(uuid4()))
    return UUID((folder / NAME).read_text().strip())


def _known(folder: Path) -> QuerySet[SpoolPlace]:
    place = _id(folder)
    return SpoolPlace.objects.filter(id__in=[place] if place else [])


def _id(folder: Path) -> UUID | None:
    try:
        return UUID((folder / NAME).read_text().strip())
    except (OSError, ValueError):
        return None
