"""Goes on asking after a case was opened because nobody answered: an answer closes it by itself.

Whoever is quicker wins: a verdict given meanwhile stands, and an answer against it contradicts it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Now

from checkpoints import answered, cases, runs
from checkpoints import states as reasons
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case
from reconciliation import findings, outcomes, states
from reconciliation.calls import tool_of
from reconciliation.doors import reading as doors
from reconciliation.findings import Finding, Known, NeedsPerson
from reconciliation.models import Action, Attempt, LookUp
from tenants.actors import Actor
from tenants.keys import hiding

MOST: Final = 200
A_TURN: Final = 20
ABOUT: Final = (reasons.OUTCOME_UNKNOWN, reasons.RECORD_BEHIND)
SWEEPER: Final = Actor.machine("sweeper")


@dataclass(frozen=True)
class Turn:
    """Cases that wait for one tool at one tenant: asked one after the other."""

    tenant_id: int
    tool: str
    cases: Sequence[UUID]


def due() -> list[Turn]:
    """The cases that may be over by now, or are to be asked about again; longest unasked first."""
    attempts = Attempt.objects.filter(action_id=OuterRef("action_id"))
    asked = LookUp.objects.filter(attempt__action_id=OuterRef("action_id")).order_by("-id")
    undecided = Case.objects.filter(
        kind__in=ABOUT, decided_at=None, closed_at=None, action_id__isnull=False
    ).annotate(
        is_out=Exists(attempts.filter(outcome=states.ATTEMPT_OPEN)),
        asked_at=Subquery(asked.values("at")[:1]),
    )
    again = Now() - timedelta(seconds=settings.KEDGE_ASK_AGAIN_SECONDS)
    over = undecided.filter(Q(is_out=False) | Q(asked_at=None) | Q(asked_at__lt=again))
    longest = over.order_by(F("asked_at").asc(nulls_first=True), "id")
    return _turns(list(longest.values_list("id", "action_id", "is_out")[:MOST]))


def take(turn: Turn) -> int:
    """Ask about these cases until one gets no answer; returns how many are over."""
    closed = 0
    for case_id in turn.cases:
        finding = outcomes.ask(_action_of(case_id))
        if not findings.is_answer(finding):
            break
        closed += conclude(case_id, finding)
    return closed


def conclude(case_id: UUID, finding: Finding) -> bool:
    """Close the case if what it is about is known, and let its run go on. False: it is not over."""
    with transaction.atomic():
        try:
            run, case = cases.locked(case_id)
        except IllegalMoveError:  # a person was quicker
            return False
        action = _action_of(case_id)
        worse = finding.trouble if isinstance(finding, NeedsPerson) else None
        if worse is None and _is_out(action):
            return False
        sentence = hiding.text(f"The tool answered after all: {_became(action)}.")
        answered.close(case, because=sentence, actor=SWEEPER)
        if worse is not None:
            cases.open_case(run.tenant_id, run.pk, worse, actor=SWEEPER)
        elif run.status == reasons.HELD:
            runs.release_hold(run.pk, sentence=sentence)
    return True


def conclude_run(run_id: UUID, finding: Finding = Known()) -> bool:  # noqa: B008 - it is immutable
    """The same for the case of a run, when it has one about an unknown outcome."""
    found = Case.objects.filter(
        run_id=run_id, kind__in=ABOUT, decided_at=None, closed_at=None
    ).first()
    return found is not None and conclude(found.pk, finding)


def _turns(found: Sequence[tuple[UUID, Any, Any]]) -> list[Turn]:
    actions = Action.objects.only("tool", "tenant").in_bulk([about for _, about, _ in found])
    by_tool: defaultdict[tuple[int, str], list[UUID]] = defaultdict(list)
    for case_id, about, is_out in found:
        action = actions[about]
        if not is_out or _can_be_asked(action):
            by_tool[action.tenant_id, action.tool].append(case_id)
    return [
        Turn(tenant_id, tool, ids[:A_TURN])
        for (tenant_id, tool), ids in by_tool.items()
        if not _is_closed(tenant_id, tool)
    ]


def _action_of(case_id: UUID) -> Action:
    about = Case.objects.filter(pk=case_id).values("action_id")
    return Action.objects.select_related("run", "tenant").get(pk__in=about)


def _can_be_asked(action: Action) -> bool:
    can = tool_of(action).capabilities
    return can.void or can.look_up


def _is_closed(tenant_id: int, tool: str) -> bool:
    """Then only its probes ask: they know of these cases as well."""
    door = doors.of_tool(tenant_id, tool)
    return door is not None and door.is_closed


def _is_out(action: Action) -> bool:
    is_settled = action.stands == states.SETTLED
    return not is_settled and action.attempts.filter(outcome=states.ATTEMPT_OPEN).exists()


def _became(action: Action) -> str:
    return "it happened" if action.outcome == states.HAPPENED else "it did not happen"
