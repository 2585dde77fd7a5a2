"""What became of a release, move by move: who, when, why, which look stood behind it, what a machine did."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from canonical import json as canonical
from releases.charts import shares
from releases.charts.shares import Drawn, Seen, Step
from releases.gates import verdicts
from releases.models import UNDER_WAY, Move, Release
from releases.pages import telling
from tenants import clock

MOST: Final = 50
SAID: Final = {
    verdicts.PROMOTE_ALLOWED: shares.ALLOWS,
    verdicts.HOLD: shares.HOLDS,
    verdicts.STOP: shares.STOPS,
}


@dataclass(frozen=True)
class Entry:
    """One move that is over. `look` says what stood behind it, `second` who said yes too."""

    move: Move
    what: str
    who: str
    second: str
    look: str
    by_machine: bool


def entries(moves: Iterable[Move]) -> list[Entry]:
    """Moves with their people and their orders, as a page tells them."""
    return [_entry(move) for move in moves]


def of_release(release: Release) -> list[Entry]:
    """The moves of one release that are over, newest first."""
    return entries(_with_people(release.moves.exclude(ended="")))


def of_task(tenant_id: int, task_type: str) -> list[Entry]:
    """The moves of all releases of a task type that are over, newest first."""
    found = Move.objects.filter(tenant=tenant_id, release__task_type=task_type).exclude(ended="")
    return entries(_with_people(found, newest="-ended_at"))


def drawn(release: Release, told: Sequence[Entry]) -> Drawn | None:
    """Its share over time, with its looks below; None where it never had one."""
    made = [each for each in reversed(told) if each.move.ended == "made"]
    steps = [
        Step(
            _at(each.move), each.move.share, each.move.share_of_critical, each.by_machine, each.what
        )
        for each in made
    ]
    begun = Step(release.begun_at, 0, 0)
    looks = [
        Seen(look.at, SAID[look.verdict], telling.of_look(look.number, look.verdict))
        for look in release.looks.only("number", "verdict", "at").order_by("-at")[:MOST]
    ]
    until = clock.now() if release.place in UNDER_WAY else _last(release, looks)
    had = any(step.share for step in steps)
    return shares.drawn([begun, *steps], looks, until=until) if had else None


def _last(release: Release, looks: Sequence[Seen]) -> datetime:
    return max([release.moved_at, *(look.at for look in looks)])


def _with_people(found: QuerySet[Move], newest: str = "-number") -> QuerySet[Move]:
    related = found.select_related("release", "proposed_by", "made_by")
    return related.prefetch_related("orders__user").order_by(newest)[:MOST]


def _entry(move: Move) -> Entry:
    seconds = [order.user for order in move.orders.all() if order.said == "second"]
    return Entry(
        move=move,
        what=telling.ended(move),
        who=str(move.made_by or move.actor),
        second=str(seconds[0]) if seconds else "",
        look=_look(move),
        by_machine=move.proposed_by_id is None,
    )


def _look(move: Move) -> str:
    """The look that was shown with it."""
    look = canonical.loads_object(bytes(move.shown)).get("demands", {}).get("look")
    return telling.of_look(look[0], look[1]) if look else _("no look since the move before it")


def _at(move: Move) -> datetime:
    return move.ended_at or move.proposed_at
