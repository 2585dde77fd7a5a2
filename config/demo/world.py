"""The outside world beside what was asked of it: for Kedge, and for the twin's plain retries."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from django.utils import timezone

from agents.fleet_change.proposing import SENDER as KEDGE
from config.demo import arrivals
from config.demo.arrivals import Unreadable
from config.demo.twin import asked
from config.demo.twin.asked import Asked
from config.demo.twin.jobs import SENDER as TWIN
from config.demo.twin.remotes import twin_of

T = TypeVar("T")
Mails = Counter[tuple[str, str]]
Arrived = tuple[int | None, int | None]

KEPT_SECONDS = 1.0


@dataclass(frozen=True)
class Row:
    """One thing asked for: how often, and how often it arrived. None: it could not be read."""

    tenant: str
    business_key: str
    kind: str
    what: str
    run: str
    asked: int
    kedge: int | None
    twin: int | None

    @property
    def is_doubled(self) -> bool:
        """Whether more arrived than was asked for, on either side."""
        return any(found is not None and found > self.asked for found in (self.kedge, self.twin))


@dataclass(frozen=True)
class World:
    """Everything that was asked, with what arrived of it; `unreadable` names what did not answer."""

    rows: tuple[Row, ...]
    unreadable: tuple[str, ...]
    at: datetime

    def of(self, tenants: Iterable[str]) -> "World":
        """What belongs to these tenants, by their slugs."""
        mine = set(tenants)
        return replace(self, rows=tuple(row for row in self.rows if row.tenant in mine))

    def total(self, side: str) -> int:
        """The sum of "asked", "kedge" or "twin"; what could not be read counts nothing."""
        return sum(getattr(row, side) or 0 for row in self.rows)


_kept: list[tuple[float, World]] = []
_reading = threading.Lock()


def seen() -> World:
    """The world as it was at most a second ago; readers who come together share one look."""
    with _reading:
        if _kept and time.monotonic() - _kept[0][0] < KEPT_SECONDS:
            return _kept[0][1]
        _kept[:] = [(time.monotonic(), look())]
        return _kept[0][1]


def look() -> World:
    """Read remotes and mailbox now."""
    unreadable: list[str] = []
    grouped: dict[tuple[str, str, bool], list[Asked]] = {}
    for each in _tried(_noted, unreadable) or []:
        is_mail = each.kind == asked.MAIL
        grouped.setdefault((each.tenant, each.business_key, is_mail), []).append(each)
    any_mail = any(is_mail for _, _, is_mail in grouped)
    mails = _tried(arrivals.mailed, unreadable) if any_mail else None
    rows = []
    for _, same in sorted(grouped.items()):
        kedge, twin = _arrived(same[0], mails, unreadable)
        given = (same[0].tenant, same[0].business_key, same[0].kind, same[0].what, same[0].run)
        rows.append(Row(*given, asked=len(same), kedge=kedge, twin=twin))
    return World(tuple(rows), tuple(dict.fromkeys(unreadable)), timezone.now())


def _noted() -> list[Asked]:
    try:
        return asked.noted()
    except (OSError, ValueError, TypeError) as error:
        raise Unreadable(f"{asked.folder()}: {error}") from error


def _arrived(each: Asked, mails: Mails | None, unreadable: list[str]) -> Arrived:
    if each.kind == asked.PUSH:
        return _pushed(each, unreadable)
    return (None, None) if mails is None else _mailed(each, mails)


def _mailed(each: Asked, mails: Mails) -> Arrived:
    return mails[KEDGE, each.business_key], mails[TWIN, each.business_key]


def _pushed(each: Asked, unreadable: list[str]) -> Arrived:
    sides = (each.tenant, twin_of(each.tenant))
    found = [_tried(partial(arrivals.pushed, slug, each.what), unreadable) for slug in sides]
    kedge, twin = (None if keys is None else keys[each.business_key] for keys in found)
    return kedge, twin


def _tried(read: Callable[[], T], unreadable: list[str]) -> T | None:
    try:
        return read()
    except Unreadable as error:
        unreadable.append(str(error))
        return None
