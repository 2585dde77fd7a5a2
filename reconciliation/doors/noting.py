"""Counts calls in a row without an answer, and closes the door after so many of them.

The door's row is locked after every other lock, and nothing is waited for while it is held: an
answer clears the row in the statement that keeps it (`ledger.answers`).
"""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from approvals import clock
from canonical.redaction import Redacted
from checkpoints import scopes
from checkpoints.scopes import Scope
from reconciliation.doors import reading
from reconciliation.doors.models import Door
from reconciliation.doors.reading import LOOK
from reconciliation.models import Action, Attempt
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding

ENGINE: Final = Actor.machine("worker")
MOST_KEPT: Final = 100
LONGEST_SAID: Final = 300
# A tool that asks to be left alone for a day is asked again all the same.
LONGEST_WAIT: Final = timedelta(minutes=15)


def unknown(attempt: Attempt, said: Redacted, *, retry_after: float = 0.0) -> None:
    """An attempt got no answer: it counts once, however often it is looked up in vain."""
    _silent(attempt.action, str(attempt.pk), said, retry_after)


def unseen(action: Action, said: Redacted, *, retry_after: float = 0.0) -> None:
    """The tool did not say what the action would change; each action counts once in a row."""
    _silent(action, f"{LOOK}{action.pk}", said, retry_after)


def seen(door: Door | None) -> None:
    """The tool answered a question: of the row only attempts stay, which nothing answered."""
    if door is None or not any(call.startswith(LOOK) for call in door.silent):
        return
    with transaction.atomic():
        kept = Door.objects.select_for_update().get(pk=door.pk)
        kept.silent = [call for call in kept.silent if not call.startswith(LOOK)]
        kept.save(update_fields=["silent"])


def answered(action: Action) -> None:
    """An attempt was answered, out of the ordinary way: the row begins anew."""
    Door.objects.filter(tenant_id=action.tenant_id, tool=action.tool).exclude(silent=[]).update(
        silent=[], answered_at=clock.ClockTimestamp()
    )


def next_probe(now: datetime, retry_after: float = 0.0) -> datetime:
    """When the next probe goes through: at the set rate, or when the tool asked to be asked."""
    asked = min(timedelta(seconds=retry_after), LONGEST_WAIT)
    return now + max(timedelta(seconds=settings.KEDGE_DOOR_PROBE_SECONDS), asked)


def _silent(action: Action, call: str, said: Redacted, retry_after: float) -> None:
    known = reading.of_tool(action.tenant_id, action.tool)
    if known is not None and call in known.silent and known.let_through != action.pk:
        return
    with transaction.atomic():
        # As a stop: what goes on is waited for, so nothing is dispatched after the door closed.
        scopes.take_alone(Scope(action.tenant, tool=action.tool), "effects")
        Door.objects.bulk_create(
            [Door(tenant_id=action.tenant_id, tool=action.tool)], ignore_conflicts=True
        )
        door = Door.objects.select_for_update().get(tenant_id=action.tenant_id, tool=action.tool)
        now = clock.now()
        most = max(MOST_KEPT, settings.KEDGE_DOOR_UNKNOWNS)
        door.silent = [*(each for each in door.silent if each != call), call][-most:]
        door.said = str(said.first(LONGEST_SAID))
        if not door.is_closed and len(door.silent) >= settings.KEDGE_DOOR_UNKNOWNS:
            _close(door, action, now, retry_after)
        elif door.let_through == action.pk:
            door.let_through = door.probing_until = None
            door.probed_at, door.next_probe_at = now, next_probe(now, retry_after)
        door.save()


def _close(door: Door, action: Action, now: datetime, retry_after: float) -> None:
    door.closed_at, door.closed_by = now, ENGINE.name
    door.why = reading.in_a_row(door.silent)
    door.next_probe_at = next_probe(now, retry_after)
    subject = hiding.text(f"door:{door.tool}")
    audit.record(action.tenant, ENGINE, "close_door", subject, why=hiding.text(door.why))
