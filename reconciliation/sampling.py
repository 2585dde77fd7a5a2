"""Looks confirmed effects up again, a few at a time, so that "0 duplicates" says of how many.

A sample changes nothing but the record: what is there once is noted, what is there twice becomes a
case, what is gone is noted as absent. A tool that does not answer is asked another time.
"""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from checkpoints import holding
from checkpoints.models import Run
from checkpoints.registry import agents
from checkpoints.timers import boot_id, boot_seconds
from reconciliation import states
from reconciliation.calls import call_for, capabilities, tool_of
from reconciliation.doors import reading as doors
from reconciliation.findings import duplicate
from reconciliation.models import Action, Attempt, LookUp
from reconciliation.tools import Found
from tenants.actors import Actor
from tenants.keys import vaults

SAMPLER: Final = Actor.machine("sampler")
YOUNG: Final = timedelta(days=30)
LOOKED_AT: Final = 2_000
FOUND: Final = "found"
ABSENT: Final = "absent"


def due(most: int) -> list[Action]:
    """Effects that happened lately and that nobody has looked up since, at random.

    Of tools that can be looked up and whose door is open; of the newest effects only.
    """
    tools = [name for name, tool in agents().TOOLS.by_name.items() if tool.capabilities.look_up]
    newest = Action.objects.filter(
        outcome=states.HAPPENED, mode="live", tool__in=tools, settled_at__gt=Now() - YOUNG
    ).order_by("-settled_at")[:LOOKED_AT]
    since = LookUp.objects.filter(
        attempt__action=OuterRef("pk"), answer__in=[FOUND, ABSENT], at__gte=OuterRef("settled_at")
    )
    unseen = Action.objects.filter(pk__in=newest.values("pk")).exclude(Exists(since))
    chosen = unseen.select_related("tenant", "run").order_by("?")[:most]
    return [action for action in chosen if not _is_kept_out(action)]


def check(action: Action) -> str:
    """Look one effect up; returns what was noted: *found*, *absent*, or "" for no answer."""
    attempt = _attempt_of(action)
    if attempt is None:
        return ""
    with vaults.bound(action.tenant_id):
        try:
            if not capabilities(action).look_up:
                return ""
            answer = tool_of(action).look_up(call_for(action, attempt))
        except Exception:  # a sample that is not answered says nothing
            return ""
        count = answer.count if isinstance(answer, Found) else 0
        _note(action, attempt, count)
    return FOUND if count else ABSENT


def _attempt_of(action: Action) -> Attempt | None:
    done = action.attempts.filter(outcome=states.ATTEMPT_HAPPENED).order_by("-number")
    return done.select_related("action__tenant").first()


def _is_kept_out(action: Action) -> bool:
    door = doors.of_tool(action.tenant_id, action.tool)
    return door is not None and door.closed_at is not None


def _note(action: Action, attempt: Attempt, count: int) -> None:
    """Note what is there; twice is a person's matter, whether the run still goes or has ended."""
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=action.run_id)
        LookUp.objects.create(
            attempt=attempt,
            answer=FOUND if count else ABSENT,
            detail=f"sample: count {count}",
            boot_id=boot_id(),
            boot_seconds=boot_seconds(),
        )
        if count > 1:
            holding.hold_now(run, duplicate(action, count), actor=SAMPLER)
