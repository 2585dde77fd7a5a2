"""The things the demo has to show now: what the card and the demo page point to."""

from dataclasses import dataclass

from django.db.models import QuerySet

from agents.fleet_change.graph import TASK_TYPE
from agents.refund_desk.graph import TASK_TYPE as REFUND_DESK
from agents.tools.git.tool import GitPush
from approvals import states
from approvals.models import ApprovalRequest
from checkpoints.models import Case, Run
from checkpoints.states import LIVE, OUTCOME_UNKNOWN
from config.demo.campaigns import DYING_KEY
from config.demo.people import HARBOUR

MOST_REFUNDS = 5


@dataclass(frozen=True)
class Things:
    """What is there. `push` waits for a yes, `plug` too (another one where there are two).

    `decided` is the case of the unknown mail once somebody has decided it. `refunds` are effects of the
    refund desk that wait for a yes.
    """

    push: ApprovalRequest | None
    plug: ApprovalRequest | None
    unknown: Case | None
    decided: Case | None
    refunds: tuple[ApprovalRequest, ...] = ()


def now() -> Things:
    """What waits at the first tenant, oldest first."""
    waiting = open_pushes()[:2]
    push = waiting[0] if waiting else None
    plug = waiting[-1] if waiting else None
    case = unknown_mail()
    is_open = case is not None and case.decided_at is None and case.closed_at is None
    refunds = tuple(_open(REFUND_DESK).order_by("asked_at")[:MOST_REFUNDS])
    return Things(push, plug, case if is_open else None, None if is_open else case, refunds)


def open_pushes() -> list[ApprovalRequest]:
    """Pushes of fleet changes that wait for a yes at the first tenant, but that of the dying mail."""
    pushes = _open(TASK_TYPE).filter(tool=GitPush.name).exclude(run__business_key=DYING_KEY)
    return list(pushes.order_by("asked_at")[:50])


def unknown_mail() -> Case | None:
    """The first case of the mail of which nobody knew whether it went out; None before it is open."""
    return (
        Case.objects.filter(run=dying_run(), kind=OUTCOME_UNKNOWN)
        .select_related("tenant")
        .order_by("pk")
        .first()
    )


def dying_run() -> Run | None:
    """The run whose mail server dies, from its start on."""
    return _changes().filter(business_key=DYING_KEY).first()


def first_working() -> Run | None:
    """The fleet change of the first tenant that will ask first: the one that got furthest."""
    live = _changes().filter(status__in=LIVE).exclude(business_key=DYING_KEY)
    return live.order_by("-head", "id").first()


def _open(task_type: str) -> QuerySet[ApprovalRequest]:
    return (
        ApprovalRequest.objects.filter(
            tenant__slug=HARBOUR, state=states.OPEN, run__task_type=task_type
        )
        .select_related("run", "tenant")
        .defer("bound", "diff", "parameters", "run__input")
    )


def _changes() -> QuerySet[Run]:
    return Run.objects.filter(tenant__slug=HARBOUR, task_type=TASK_TYPE).defer("input")
