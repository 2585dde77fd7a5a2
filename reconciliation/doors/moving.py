"""Opening a door, and closing it by hand: the verbs of people and of the sweeper."""

from collections.abc import Callable
from typing import Final

from django.db import transaction

from approvals import clock
from canonical.redaction import Redacted, Said, ours
from checkpoints import scopes
from checkpoints.errors import IllegalMoveError
from checkpoints.registry import agents
from checkpoints.scopes import Scope
from reconciliation.doors.models import Door
from reconciliation.doors.reading import LOOK
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

SWEEPER: Final = Actor.machine("sweeper")
OPERATE: Final = "operate_runs"
LONGEST_REASON: Final = 500


def close_by_hand(tenant: Tenant, tool: str, *, why: str, user: User) -> Door:
    """Let nothing more be sent to this tool, until a person opens its door. Twice is one door.

    What is under way is waited for. Raises `Denied`, `IllegalMoveError` (no reason, no such tool).
    """
    reason = _admitted(tenant, tool, why, user)
    if tool not in agents().TOOLS:
        raise IllegalMoveError(f"there is no tool called {tool}")
    with transaction.atomic():
        scopes.take_alone(Scope(tenant, tool=tool), "effects")
        Door.objects.bulk_create([Door(tenant=tenant, tool=tool)], ignore_conflicts=True)
        door = Door.objects.select_for_update().get(tenant=tenant, tool=tool)
        if door.is_closed and door.by_hand:
            return door
        door.closed_at = door.closed_at or clock.now()
        actor = Actor.person(user)
        door.closed_by, door.by_hand, door.why = actor.name, True, str(reason)
        door.next_probe_at = door.probing_until = door.let_through = None
        door.save()
        _record(door, ours("close_door"), actor, reason)
    return door


def open_by_hand(tenant: Tenant, tool: str, *, why: str, user: User) -> Door:
    """Let the tool be used again, whatever is known of it; the runs that wait go on paced.

    Raises `Denied`, `IllegalMoveError` (no reason, or it is not closed).
    """
    reason = _admitted(tenant, tool, why, user)

    def forget(door: Door) -> None:
        # Whoever opens it vouches for the tool: it takes a whole new row to close it.
        door.silent = []

    with transaction.atomic():
        door = Door.objects.select_for_update().filter(tenant=tenant, tool=tool).first()
        if door is None or not door.is_closed:
            raise IllegalMoveError("this door is open already; load the page again")
        _open(door, Actor.person(user), reason, forget)
    return door


def open_answered(door: Door, *, because: Said) -> bool:
    """The tool answers: open a door that closed by itself; False when that is no news.

    The row stays but for questions: only an attempt that is answered says that effects are done.
    Until then the next unknown closes the door again.
    """

    def keep_attempts(locked: Door) -> None:
        locked.silent = [call for call in locked.silent if not call.startswith(LOOK)]

    with transaction.atomic():
        locked = Door.objects.select_for_update().get(pk=door.pk)
        if not locked.is_closed or locked.by_hand:
            return False
        _open(locked, SWEEPER, hiding.text(hiding.said(because)), keep_attempts)
    return True


def _admitted(tenant: Tenant, tool: str, why: str, user: User) -> Redacted:
    if user.pk not in access.who_may(tenant.pk, OPERATE, [user.pk]):
        raise Denied(tenant.pk, OPERATE)
    if not why.strip():
        raise IllegalMoveError(f"say in a few words why: the door of {tool} needs a reason")
    return hiding.text(why.strip()).first(LONGEST_REASON)


def _open(door: Door, actor: Actor, why: Redacted, leave: Callable[[Door], None]) -> None:
    door.opened_at = door.paced_at = clock.now()
    door.opened_by, door.woken = actor.name, 0
    door.closed_at = door.next_probe_at = door.probing_until = door.let_through = None
    door.closed_by, door.why, door.by_hand = "", "", False
    leave(door)
    door.save()
    _record(door, ours("open_door"), actor, why)


def _record(door: Door, verb: Redacted, actor: Actor, why: Redacted) -> None:
    audit.record(door.tenant, actor, verb, hiding.text(f"door:{door.tool}"), why=why)
