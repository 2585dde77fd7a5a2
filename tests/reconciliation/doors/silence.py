"""Calls without an answer, for the tests of doors."""

from datetime import timedelta
from typing import Any

from django.db.models import F

from canonical.redaction import ours
from reconciliation.doors import noting
from reconciliation.doors.models import Door
from reconciliation.models import Action
from tests.engine.turns import Bench
from tests.execution.runs import waiting
from tests.reconciliation.ready import Ready, ready

LONG_AGO = timedelta(hours=1)


def silent(engine: Bench, count: int, tool: str = "fake.void") -> list[Ready]:
    """So many attempts in a row, each in a run of its own, that got no answer."""
    found = []
    for _ in range(count):
        it = ready(engine, tool)
        noting.unknown(it.dispatch(), ours("gone"))
        found.append(it)
    return found


def shut(engine: Bench, tool: str = "fake.void") -> Door:
    """The door of a tool, closed by five actions that could not be seen."""
    unseen(engine, 5, tool)
    return door(engine, tool)


def unseen(engine: Bench, count: int, tool: str = "fake.void") -> list[Action]:
    """Actions of which nobody says any more what they would change."""
    # First all of them: a question that is answered takes back those that were not.
    runs = [waiting(engine, tool) for _ in range(count)]
    actions = list(Action.objects.select_related("tenant").filter(run__in=runs))
    for action in actions:
        noting.unseen(action, ours("gone"))
    return actions


def door(engine: Bench, tool: str = "fake.void") -> Door:
    """The door of a tool as it is now."""
    return Door.objects.select_related("tenant").get(tenant=engine.tenant, tool=tool)


def probe_due(**more: Any) -> None:
    """Let the time of every probe come."""
    Door.objects.filter(next_probe_at__isnull=False).update(
        next_probe_at=F("next_probe_at") - LONG_AGO, **more
    )
