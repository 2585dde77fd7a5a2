"""Probes: one question at a time, at a set rate, that tells whether a closed door may open.

An unknown attempt is looked up; without one, an effect that waits and was never sent. Of a tool that
cannot be looked up, one single effect is let through.
"""

import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from approvals import clock
from canonical.redaction import Redacted
from checkpoints import states as reasons
from checkpoints import wakeups
from checkpoints.models import Run
from checkpoints.registry import agents
from reconciliation import findings, lateanswers, outcomes, patience, states
from reconciliation.calls import call_for
from reconciliation.doors import moving, noting
from reconciliation.doors.models import Door
from reconciliation.findings import Finding, Known, Later
from reconciliation.models import Action, Attempt, LookUp
from reconciliation.tools import Tool
from tenants.keys import hiding, vaults

log = logging.getLogger(__name__)

MOST: Final = 50
# What a probe takes beside the tool's own time: a worker that takes the run up, its dry run.
BESIDE: Final = timedelta(seconds=60)
AT_A_DOOR: Final = Q(status=reasons.WAITING, reason=reasons.FOR_DOOR)
ANSWERED: Final = "The tool answered a probe."


def open_answered() -> int:
    """Open the doors whose row an answer cleared; returns how many."""
    cleared = Door.objects.filter(closed_at__isnull=False, by_hand=False, silent=[])
    doors = list(cleared.select_related("tenant")[:MOST])
    return sum(moving.open_answered(door, because="The tool answered.") for door in doors)


def claim() -> list[Door]:
    """The doors whose probe is due, each claimed for the time that it takes."""
    free = Q(probing_until=None) | Q(probing_until__lte=clock.ClockTimestamp())
    due = Door.objects.filter(free, next_probe_at__lte=clock.ClockTimestamp())
    claimed = []
    for door in due.select_related("tenant").order_by("next_probe_at")[:MOST]:
        until = clock.now() + _takes(agents().TOOLS.by_name.get(door.tool))
        mine = due.filter(pk=door.pk).update(probing_until=until, let_through=None)
        if mine:
            claimed.append(door)
    return claimed


def probe(door: Door) -> None:
    """Ask once, and open the door or put the next probe off."""
    tool = agents().TOOLS.by_name.get(door.tool)
    if tool is None:
        put_off(door, hiding.text("this process does not know the tool"))
    elif not (tool.capabilities.void or tool.capabilities.look_up):
        _let_one_through(door)
    else:
        with vaults.bound(door.tenant_id):
            _ask(door, tool)


def put_off(door: Door, said: Redacted, *, until: datetime | None = None) -> None:
    """It stays closed: the next probe comes at the set rate, or at `until` when that is later."""
    now = clock.now()
    wanted = (until - now).total_seconds() if until is not None else 0.0
    Door.objects.filter(pk=door.pk, closed_at__isnull=False, by_hand=False).update(
        probing_until=None,
        let_through=None,
        probed_at=now,
        next_probe_at=noting.next_probe(now, wanted),
        said=str(said.first(noting.LONGEST_SAID)),
    )


def waiting_for(door: Door) -> QuerySet[Run]:
    """The runs that wait for this door."""
    asked = Action.objects.filter(run=OuterRef("pk"), absorbed_seq=None, tool=door.tool)
    return Run.objects.filter(Exists(asked), AT_A_DOOR, tenant=door.tenant_id).order_by("id")


def _ask(door: Door, tool: Tool) -> None:
    attempt = _longest_unasked(door)
    if attempt is not None:
        finding = outcomes.ask(attempt.action)
        if findings.is_answer(finding):
            _go_on(attempt.action, finding)
            moving.open_answered(door, because=ANSWERED)
        else:
            until = finding.at if isinstance(finding, Later) else None
            put_off(door, hiding.text("a probe got no answer"), until=until)
        return
    waiting = waiting_for(door).first()
    action = _open_action(waiting) if waiting is not None else None
    if action is None:
        put_off(door, hiding.text("nothing waits that could be asked about"))
        return
    try:
        tool.look_up(call_for(action))
    except Exception as silence:  # whatever it raises, it is no answer
        rest = clock.now() + timedelta(seconds=patience.asked_for(silence))
        put_off(door, hiding.text(f"{type(silence).__name__}: {silence}"), until=rest)
    else:
        moving.open_answered(door, because=ANSWERED)


def _go_on(action: Action, finding: Finding) -> None:
    """What the probe found out is of use to its own run at once."""
    if not isinstance(finding, Known):
        lateanswers.conclude_run(action.run_id, finding)
    elif not lateanswers.conclude_run(action.run_id, finding):
        with transaction.atomic():
            wakeups.wake(action.run_id, why="The tool answered.")


def _let_one_through(door: Door) -> None:
    run = waiting_for(door).order_by(F("woken_at").asc(nulls_first=True), "id").first()
    action = _open_action(run) if run is not None else None
    if run is None or action is None:
        put_off(door, hiding.text("nothing waits that could be let through"))
        return
    mine = Door.objects.filter(pk=door.pk, closed_at__isnull=False, by_hand=False)
    if mine.update(let_through=action.pk, probed_at=Now()):
        with transaction.atomic():
            wakeups.wake(run.pk, why="It is sent as a probe: the door opens when it is answered.")


def _longest_unasked(door: Door) -> Attempt | None:
    asked = LookUp.objects.filter(attempt=OuterRef("pk")).order_by("-id").values("at")[:1]
    # one_open_attempt_per_action has the few open attempts of all tenants.
    out = Attempt.objects.filter(
        outcome=states.ATTEMPT_OPEN, action__tenant=door.tenant_id, action__tool=door.tool
    ).annotate(asked_at=Subquery(asked))
    longest = out.order_by(F("asked_at").asc(nulls_first=True), "dispatched_at")
    return longest.select_related("action__run", "action__tenant").first()


def _open_action(run: Run) -> Action | None:
    unabsorbed = Action.objects.filter(run=run, absorbed_seq=None)
    return unabsorbed.select_related("run", "tenant").first()


def _takes(tool: Tool | None) -> timedelta:
    if tool is None:
        return BESIDE
    return BESIDE + timedelta(seconds=tool.budget_seconds + tool.margin_seconds)
