"""Why a run is where it is: one sentence, the facts it rests on with their age, what would help."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from approvals import judging
from approvals import states as permission
from approvals.models import ApprovalRequest
from approvals.queries import HEAVY
from checkpoints import states
from checkpoints.models import Case, Run
from execution import unmanned
from execution.pages import people
from execution.pages.places import CASE, INBOX, REQUEST, place
from execution.problems import stuck
from reconciliation.doors import reading as doors
from reconciliation.models import Action
from tenants import moments
from tenants.models import User

Fact = dict[str, Any]


@dataclass(frozen=True)
class Standing:
    """What components/standing.html shows of a run."""

    status: str
    reason: str
    sentence: str
    facts: list[dict[str, Any]] = field(default_factory=list)
    next: dict[str, str] | None = None
    who: str = ""

    @property
    def over(self) -> bool:
        return self.status in states.FINAL


def standing(run: Run, viewer: User) -> Standing:
    """Where a run stands, for this viewer. Costs the same few queries for every run of a status."""
    tell = TELL.get(run.reason) or TELL.get(run.status) or _goes_on
    told = _unmanned(run) if unmanned.is_told(run) else tell(run, viewer)
    late = (
        stuck.late(run) if run.status in (states.QUEUED, states.RUNNING, states.WAITING) else None
    )
    return _stuck(run, told, late) if late is not None and late.is_stuck else told


def _for_approval(run: Run, viewer: User) -> Standing:
    request = (
        ApprovalRequest.objects.filter(run=run, state=permission.OPEN)
        .select_related("tenant")
        .defer(*HEAVY)
        .first()
    )
    if request is None:
        return _goes_on(run, viewer)
    able = judging.still_can(request)
    who = people.told(able, viewer)
    if judging.is_own(request, viewer):
        who = _("This run is yours, so somebody else decides.") + " " + who
    url = place(REQUEST, run.tenant, request.id) or place(INBOX, run.tenant)
    facts: list[Fact] = [
        {"label": _("Asked"), "value": _("waits for a person"), "at": request.asked_at},
        {"label": _("Expires"), "value": _("then nothing is sent"), "at": request.expires_at},
        _last_checkpoint(run),
    ]
    step = {"text": _("Look at what would happen, and decide"), "url": url} if url else None
    return Standing(run.status, run.reason, run.sentence, facts, step, who)


def _held(run: Run, viewer: User) -> Standing:
    case = _open_case(run)
    if case is None:
        return _goes_on(run, viewer)
    facts: list[Fact] = [
        {"label": _("On hold"), "value": _("until a person decides"), "at": case.opened_at},
        _last_checkpoint(run),
    ]
    who = people.may(run.tenant, "reconcile_actions", viewer)
    return Standing(run.status, run.reason, case.sentence, facts, _to_decide(case), who)


def _stopped(run: Run, viewer: User) -> Standing:
    step = {"text": _("See the stop, and lift it"), "url": place("stop", run.tenant)}
    who = people.may(run.tenant, "operate_runs", viewer)
    sentence = capfirst(run.sentence)
    return Standing(run.status, run.reason, sentence, [_last_checkpoint(run)], step, who)


def _at_door(run: Run, viewer: User) -> Standing:
    facts: list[Fact] = [_last_checkpoint(run)]
    who = _("Nobody needs to do anything: it goes on by itself.")
    action = Action.objects.filter(run=run, absorbed_seq=None).only("tool").first()
    door = doors.of_tool(run.tenant_id, action.tool) if action is not None else None
    if door is not None and door.is_closed:
        facts.insert(0, {"label": _("Door closed"), "value": door.why, "at": door.closed_at})
        if door.by_hand:
            who = people.may(run.tenant, "operate_runs", viewer)
        else:
            probe = {"label": _("Next probe"), "value": _("by itself"), "at": door.next_probe_at}
            facts.insert(1, probe)
    step = {"text": _("See the door"), "url": place("reconciliation:doors", run.tenant)}
    return Standing(run.status, run.reason, run.sentence, facts, step, who)


def _running(run: Run, viewer: User) -> Standing:  # noqa: ARG001 - one shape for all tellers
    sentence = _("A worker is at the node %(node)s.") % {"node": run.next_node}
    facts: list[Fact] = [
        _last_checkpoint(run),
        _lease(run),
    ]
    who = _("Nobody needs to do anything.")
    if run.cancel_requested_at:
        who = _("It ends at its next checkpoint: %(who)s asked to cancel it.") % {
            "who": run.cancel_requested_by
        }
    return Standing(run.status, run.reason, sentence, facts, None, who)


def _over(run: Run, viewer: User) -> Standing:
    facts: list[Fact] = [
        {"label": _("Ended"), "value": _("final"), "at": run.finished_at},
        _last_checkpoint(run),
    ]
    who = _("It is over: nothing more is sent for it.")
    case = _open_case(run)
    if case is None:
        return Standing(run.status, run.stop_reason, run.sentence, facts, None, who)
    # It ended on a belief that evidence contradicts since: that outweighs how it ended.
    facts.insert(0, {"label": _("Came afterwards"), "value": case.sentence, "at": case.opened_at})
    who = people.may(run.tenant, "reconcile_actions", viewer)
    return Standing(run.status, run.stop_reason, run.sentence, facts, _to_decide(case), who)


def _goes_on(run: Run, viewer: User) -> Standing:  # noqa: ARG001 - one shape for all tellers
    facts: list[Fact] = [_last_checkpoint(run)]
    if run.due_at:
        facts.insert(0, {"label": _("Due"), "value": _("goes on by itself"), "at": run.due_at})
    who = _("Nobody needs to do anything: it goes on by itself.")
    return Standing(run.status, run.reason, run.sentence, facts, None, who)


def _unmanned(run: Run) -> Standing:
    """No worker has its code: it fails nowhere and runs on no other code, and waits."""
    facts: list[Fact] = [_last_checkpoint(run)]
    if run.due_at:
        facts.insert(0, {"label": _("Due"), "value": _("no worker takes it"), "at": run.due_at})
    step = {"text": _("See why it is not running"), "url": place("run_why_not", run.tenant, run.id)}
    who = _("Whoever runs this installation: a worker of the version that it began with is needed.")
    return Standing(run.status, run.reason, run.sentence, facts, step, who)


def _stuck(run: Run, told: Standing, late: stuck.Late) -> Standing:
    """It is here for longer than expected: nobody is told that nothing needs to be done."""
    expected = moments.span(late.expected)
    value = _("for longer than the %(expected)s expected") % {"expected": expected}
    facts = [{"label": _("Stuck"), "value": value, "at": late.since}, *told.facts]
    step = {"text": _("See why it is not running"), "url": place("run_why_not", run.tenant, run.id)}
    return replace(told, facts=facts, next=told.next or step, who="")


def _open_case(run: Run) -> Case | None:
    undecided = Case.objects.filter(run=run, decided_at=None, closed_at=None)
    return undecided.select_related("tenant").first()


def _to_decide(case: Case) -> dict[str, str] | None:
    url = place(CASE, case.tenant, case.id) or place(INBOX, case.tenant)
    return {"text": _("See what is known, and decide"), "url": url} if url else None


def _lease(run: Run) -> Fact:
    over = run.lease_until is not None and run.lease_until < timezone.now()
    value = _("ran out: the sweeper gives it to the next worker") if over else _("being renewed")
    return {"label": _("Lease"), "value": value, "at": run.lease_until}


def _last_checkpoint(run: Run) -> dict[str, Any]:
    if run.head == 0:
        value = _("none yet")
        return {"label": _("Last checkpoint"), "value": value, "at": run.created_at}
    value = f"#{run.head}"
    if run.status in states.LIVE:
        value = _("#%(seq)d, next node %(node)s") % {"seq": run.head, "node": run.next_node}
    return {"label": _("Last checkpoint"), "value": value, "at": run.progressed_at}


TELL: dict[str, Callable[[Run, User], Standing]] = {
    states.FOR_APPROVAL: _for_approval,
    states.FOR_STOP: _stopped,
    states.FOR_DOOR: _at_door,
    states.HELD: _held,
    states.RUNNING: _running,
    **dict.fromkeys(states.FINAL, _over),
}
