"""Which code workers have: each says so while it lives, and when one last did outlives them all."""

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import DatabaseError
from django.db.models.functions import Now

from checkpoints.models import Combo, WorkerCode
from execution.models import Process

log = logging.getLogger(__name__)

KEPT_EVERY_SECONDS: Final = 30.0
MOST: Final = 200
# For so long a process may say nothing before it is taken for gone.
SILENT_AFTER: Final = {"worker": timedelta(seconds=90), "sweeper": timedelta(seconds=10)}


class Announcer:
    """What one worker says of its code parts, and keeps often enough."""

    def __init__(self, codes: Sequence[str]) -> None:
        self.codes = list(codes)
        self._again_at = 0.0

    def keep(self) -> None:
        """Note that a worker with this code is alive; at most every half minute. Never raises."""
        now = time.monotonic()
        if now < self._again_at:
            return
        self._again_at = now + KEPT_EVERY_SECONDS
        rows = [WorkerCode(part=bytes.fromhex(code), seen_at=Now()) for code in self.codes]
        try:
            WorkerCode.objects.bulk_create(
                rows, update_conflicts=True, unique_fields=["part"], update_fields=["seen_at"]
            )
        except DatabaseError as error:
            log.warning("cannot keep which code is alive: %s", error)


def code_of(combo: Combo) -> str:
    """The code that a combo needs, as workers announce it: its code part in hex."""
    return bytes(combo.code_part).hex()


def has_code(process: Process, combo: Combo) -> bool:
    """Whether a process has announced the code of a combo."""
    return code_of(combo) in process.facts.get("codes", [])


def workers() -> list[Process]:
    """The workers that have said something lately."""
    said = Process.objects.filter(kind="worker", seen_at__gt=Now() - SILENT_AFTER["worker"])
    return list(said.order_by("name")[:MOST])


def alive() -> set[str]:
    """The code parts that live workers have, in hex."""
    return {str(code) for worker in workers() for code in worker.facts.get("codes", [])}


def last_seen(combo: Combo) -> datetime | None:
    """When a worker with the code of a combo was last alive; None when none ever was."""
    return all_last_seen([combo])[combo.pk]


def all_last_seen(combos: Sequence[Combo]) -> dict[int, datetime | None]:
    """`last_seen` of each, by its key."""
    parts = [each.code_part for each in combos]
    kept = {
        bytes(each.part).hex(): each.seen_at for each in WorkerCode.objects.filter(part__in=parts)
    }
    for worker in Process.objects.filter(kind="worker")[:MOST]:
        for code in worker.facts.get("codes", []):
            kept[code] = max(worker.seen_at, kept.get(code, worker.seen_at))
    return {each.pk: kept.get(code_of(each)) for each in combos}
