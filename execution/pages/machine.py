"""What the System page reads: processes, queue, database, clocks, disk. The web process asks alone.

Each question is answered or fails by itself: the page must work when Valkey or a disk is gone.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from redis import RedisError
from rq import Queue

from approvals import clock
from checkpoints import wakeups
from execution.announcing import SILENT_AFTER
from execution.models import Process
from reconciliation import spoolplaces
from reconciliation.behind import pages as record
from tenants import moments, wall
from tenants.amounts import count, size
from tenants.database import execute
from tenants.notifications.models import Notification

MOST: Final = 200
COUNTED_TO: Final = 10_000
LATE_SECONDS: Final = 30
APART_SECONDS: Final = 2.0
LATELY: Final = timedelta(days=7)
DISK_LEFT: Final = 1024**3
LOAD: Final = "SELECT due, oldest_due, leased FROM kedge_load(%(counted_to)s::bigint)"
NOTIFICATIONS: Final = (
    "SELECT given_up, tried_again"
    " FROM kedge_notifications(%(since)s::timestamptz, %(counted_to)s::bigint)"
)


@dataclass(frozen=True)
class Check:
    """One question about this installation and its answer; `next` is what helps, if not ok."""

    what: str | Promise
    ok: bool
    said: str
    at: datetime | None = None
    next: str = ""


@dataclass(frozen=True)
class Alive:
    """One worker or sweeper as it says itself. `silent`: it has not said anything for too long."""

    process: Process
    silent: bool
    said: str


def processes() -> list[Alive]:
    """Our processes, those that are silent first."""
    now = clock.now()
    found = list(Process.objects.order_by("kind", "name")[:MOST])
    alive = [_alive(process, now) for process in found]
    return sorted(alive, key=lambda each: not each.silent)


def checks(alive: list[Alive]) -> list[Check]:
    """Everything that is asked once per page, worst news first."""
    found = [
        _has(alive, "worker", _("Start one: manage.py work")),
        _has(alive, "sweeper", _("Start one: manage.py sweep")),
        _spools(),
        *(_asked(what, ask) for what, ask in ASKED.items()),
    ]
    return sorted(found, key=lambda check: check.ok is not False)


def load() -> dict[str, Any]:
    """How much is due, since when, and how much is being worked on; over all tenants."""
    # With the owner's eyes: PostgreSQL shows this page the rows of the person's tenants only.
    due, oldest, leased = execute(LOAD, {"counted_to": COUNTED_TO + 1})[0]
    return {
        "due": due,
        "oldest_due": oldest,
        "late": oldest is not None and (timezone.now() - oldest).total_seconds() > LATE_SECONDS,
        "leased": leased,
        "counted_to": COUNTED_TO,
    }


def _alive(process: Process, now: datetime) -> Alive:
    patience = SILENT_AFTER.get(process.kind, timedelta(seconds=90))
    return Alive(process, now - process.seen_at > patience, _facts(process.facts))


def _facts(facts: dict[str, Any]) -> str:
    if "says" in facts:
        return str(facts["says"])
    if "took_ms" in facts:
        did = ", ".join(f"{name} {n}" for name, n in sorted(facts.get("did", {}).items()))
        span = moments.span(facts["took_ms"] / 1000)
        return _("last round took %(span)s: %(did)s") % {
            "span": span,
            "did": did or _("nothing to do"),
        }
    horse = facts.get("horse")
    return _("at work in process %(pid)s") % {"pid": horse} if horse else _("waits for work")


def _has(alive: list[Alive], kind: str, then: str) -> Check:
    words = {"worker": _("Workers"), "sweeper": _("Sweeper")}
    living = [
        each.process.seen_at for each in alive if each.process.kind == kind and not each.silent
    ]
    said = _("%(n)d alive") % {"n": len(living)} if living else _("none is alive")
    return Check(words[kind], bool(living), said, max(living, default=None), "" if living else then)


def _spools() -> Check:
    """Whether a machine is gone that may have heard answers which nobody else knows."""
    what, lost = _("Spools of receipts"), spoolplaces.silent()
    if not lost:
        return Check(what, ok=True, said=_("each is looked after"), at=timezone.now())
    one = lost[0]
    told = {"n": count(len(lost)), "folder": one.folder, "machine": one.machine, "id": one.pk}
    said = _("%(n)s not looked after; the longest: %(folder)s of %(machine)s (%(id)s).") % told
    then = _(
        "It may hold receipts. Bring the folder to a machine of this installation and run there:"
        " manage.py spool bring-in FOLDER. If it is lost: manage.py spool give-up ID --reason …"
    )
    return Check(what, ok=False, said=said, at=one.seen_at, next=then)


def _asked(what: str | Promise, ask: Callable[[], tuple[bool, str]]) -> Check:
    try:
        ok, said = ask()
    except (RedisError, OSError) as error:
        return Check(what, ok=False, said=f"{type(error).__name__}: {error}"[:200])
    return Check(what, ok, said, timezone.now())


def _notifications() -> tuple[bool, str]:
    """Whether people are told what waits for them; never what they are told."""
    if not settings.KEDGE_NOTIFICATIONS:
        return True, _("switched off: nobody is told by mail or webhook")
    since = clock.now() - LATELY
    n, again = execute(NOTIFICATIONS, {"since": since, "counted_to": COUNTED_TO})[0]
    failed = Notification.objects.filter(state=Notification.State.FAILED, made_at__gt=since)
    newest = failed.order_by("-pk").values_list("error", flat=True).first()
    if n == 0 and again == 0:
        return True, _("all that was due is sent")
    told = {"n": count(n), "again": count(again), "error": newest or ""}
    said = _("%(n)s given up, %(again)s tried again. %(error)s") % told
    return n == 0, said.strip()


def _postgresql() -> tuple[bool, str]:
    began = time.perf_counter()
    clock.now()
    took = time.perf_counter() - began
    version = connection.connection.info.server_version
    told = {"version": f"{version // 10_000}.{version % 10_000}", "took": f"{took * 1000:.1f} ms"}
    return True, _("version %(version)s, answers in %(took)s") % told


def _queue() -> tuple[bool, str]:
    began = time.perf_counter()
    with wakeups.connection() as client:
        length = Queue(wakeups.QUEUE, connection=client).count
    took = f"{(time.perf_counter() - began) * 1000:.1f} ms"
    told = {"n": count(length), "took": took}
    return True, _("answers in %(took)s, %(n)s wake-ups in the queue") % told


def _clocks() -> tuple[bool, str]:
    before = timezone.now()
    theirs = clock.now()
    ours = before + (timezone.now() - before) / 2
    apart = (theirs - ours).total_seconds()
    said = _("the database is %(span)s %(way)s this machine") % {
        "span": moments.span(abs(apart)),
        "way": _("ahead of") if apart >= 0 else _("behind"),
    }
    return abs(apart) < APART_SECONDS, said


def _disk(path: Path) -> tuple[bool, str]:
    while not path.exists() and path != path.parent:
        path = path.parent
    usage = shutil.disk_usage(path)
    told = {"free": size(usage.free), "total": size(usage.total), "path": path}
    return usage.free > DISK_LEFT, _("%(free)s of %(total)s free at %(path)s") % told


def _wall() -> tuple[bool, str]:
    """Whether the database keeps tenants apart by itself; without it only our own queries do."""
    if wall.stands():
        return True, _("stands: the database shows each person the rows of their tenants only")
    said = _("does not stand: the web process may read every tenant's rows. ")
    return False, said + _("Give it a database user of its own in DATABASE_URL_WEB.")


def _record() -> tuple[bool, str]:
    """Whether the record is where it was written and knows what was sent, as its page says."""
    standing = record.standing()
    if not standing.said:
        return True, _("on the PostgreSQL it was written on; nothing that was sent is missing")
    return False, " ".join([*standing.said, _("See the page Record.")])


ASKED: Final[dict[str | Promise, Callable[[], tuple[bool, str]]]] = {
    "PostgreSQL": _postgresql,
    "Valkey": _queue,
    gettext_lazy("Clocks"): _clocks,
    gettext_lazy("Record and world"): _record,
    gettext_lazy("Notifications"): _notifications,
    gettext_lazy("Second wall between tenants"): _wall,
    gettext_lazy("Disk of this installation"): lambda: _disk(Path(settings.VAR_DIR)),
    gettext_lazy("Disk of the journal"): lambda: _disk(Path(settings.KEDGE_JOURNAL_DIR)),
}
