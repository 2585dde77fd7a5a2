"""Reads that pages and commands need; every one is bounded."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Count, Max, QuerySet

from approvals import queries as permission
from approvals.edits import waiting as edits
from approvals.models import ApprovalRequest, EditRequest
from checkpoints.models import Case, Event, Verdict
from reconciliation import states, undone
from reconciliation.models import Action, Attempt, LookUp, Receipt
from tenants.models import Tenant, User

MOST = 500
A_PAGE: Final = 50
APPROVAL: Final = "approval"
EDIT: Final = "edit"  # a state written by hand, which a second person has to approve
LOOK_UPS_SHOWN: Final = 20
INTERRUPTIONS_SHOWN: Final = 10
VERDICTS_SHOWN: Final = 20


@dataclass(frozen=True)
class Waiting:
    """One entry of the inbox: exactly one of `request`, `case` and `edit` is there."""

    id: UUID
    kind: str
    since: datetime
    request: ApprovalRequest | None = None
    case: Case | None = None
    edit: EditRequest | None = None

    @property
    def expires_at(self) -> datetime | None:
        """Until when it can be decided; None for what waits as long as it takes."""
        asked = self.request or self.edit
        return asked.expires_at if asked is not None else None


@dataclass(frozen=True)
class Tried:
    """One attempt with what was learnt of it: receipts oldest first, the latest look-ups."""

    attempt: Attempt
    receipts: list[Receipt]
    look_ups: list[LookUp]
    look_ups_before: int


def out_in_the_world(tenant: Tenant | None) -> list[Action]:
    """Calls that were sent and whose outcome is not settled yet, oldest first."""
    out = Action.objects.filter(stands=states.DISPATCHED).select_related("tenant", "run")
    if tenant is not None:
        out = out.filter(tenant=tenant)
    return list(out.order_by("proposed_at")[:MOST])


def inbox(
    tenant: Tenant,
    *,
    kind: str = "",
    after: UUID | None = None,
    limit: int = A_PAGE,
    handed_to: User | None = None,
) -> list[Waiting]:
    """What needs a person here, longest waiting first: open requests and undecided cases.

    `kind` is "approval" or a kind of case; `after` the last id of the page before (ids of both are
    UUIDv7, so they are in order of time). With `handed_to`, only the requests that somebody asked
    this person to decide.
    """
    found: list[Waiting] = []
    if kind in ("", APPROVAL):
        asked = permission.inbox([tenant.pk], limit=limit, after=after, handed_to=handed_to)
        found += [Waiting(each.pk, APPROVAL, each.asked_at, request=each) for each in asked]
    if kind in ("", EDIT) and handed_to is None:
        written = edits.inbox([tenant.pk], limit=limit, after=after)
        found += [Waiting(each.pk, EDIT, each.asked_at, edit=each) for each in written]
    if kind not in (APPROVAL, EDIT) and handed_to is None:
        found += [
            Waiting(each.pk, each.kind, each.opened_at, case=each)
            for each in _open_cases(tenant, kind, after)[:limit]
        ]
    return sorted(found, key=lambda waiting: waiting.id)[:limit]


def inbox_counts(tenant: Tenant) -> dict[str, int]:
    """How many entries of each kind wait; a kind without any is not in it."""
    cases = Case.objects.filter(tenant=tenant, closed_at=None, decided_at=None)
    counts = dict(cases.values_list("kind").annotate(Count("id")).order_by("kind"))
    asked = permission.open_counts([tenant.pk]).get(tenant.pk, 0)
    written = edits.open_counts([tenant.pk]).get(tenant.pk, 0)
    found = {APPROVAL: asked, EDIT: written}
    return {kind: count for kind, count in found.items() if count} | counts


def not_proven(tenant: Tenant, limit: int = A_PAGE) -> list[Case]:
    """Cases that were decided and whose run has not committed past the trouble yet."""
    found = Case.objects.filter(tenant=tenant, closed_at=None, decided_at__isnull=False)
    return list(_with_run(found).annotate(said_at=Max("verdicts__given_at")).order_by("id")[:limit])


def case_of(tenant: Tenant, case_id: UUID) -> Case:
    """A case of this tenant with its run. Raises `Case.DoesNotExist`."""
    return _with_run(Case.objects.filter(tenant=tenant)).get(pk=case_id)


def verdicts_of(case: Case) -> list[Verdict]:
    """What people decided in a case, newest first."""
    found = case.verdicts.select_related("given_by", "agreed_by", "superseded__superseded_by")
    return list(found.order_by("-given_at")[:VERDICTS_SHOWN])


def interruptions(run_id: UUID) -> list[Event]:
    """How the run's workers ended lately, newest first."""
    found = Event.objects.filter(run_id=run_id, what="interrupted").order_by("-id")
    return list(found[:INTERRUPTIONS_SHOWN])


def action_of(tenant: Tenant, action_id: UUID) -> Action:
    """An action of this tenant with its run, marked (`undone`). Raises `Action.DoesNotExist`."""
    found = Action.objects.select_related("run", "tenant", "compensates").defer("run__input")
    return undone.mark(found).get(pk=action_id, tenant=tenant)


def actions_of_run(run_id: UUID, *, limit: int = A_PAGE) -> list[Action]:
    """The actions of a run, newest first, marked, each with `sent`: how many attempts it has."""
    found = undone.mark(Action.objects.filter(run_id=run_id).defer("parameters"))
    return list(found.annotate(sent=Count("attempts")).order_by("-proposed_seq")[:limit])


def tries_of(action: Action, *, limit: int = A_PAGE) -> list[Tried]:
    """The attempts of an action, first to last, in a constant number of queries."""
    attempts = list(action.attempts.select_related("approval").order_by("number")[:limit])
    receipts: dict[UUID, list[Receipt]] = {}
    for receipt in action.receipts.order_by("id")[:MOST]:
        receipts.setdefault(receipt.attempt_id, []).append(receipt)
    asked: dict[UUID, list[LookUp]] = {}
    of_these = LookUp.objects.filter(attempt__in=attempts).exclude(answer="first_seen")
    for look_up in of_these.order_by("-id")[:MOST]:
        asked.setdefault(look_up.attempt_id, []).append(look_up)
    return [
        Tried(
            attempt=attempt,
            receipts=receipts.get(attempt.pk, []),
            look_ups=asked.get(attempt.pk, [])[:LOOK_UPS_SHOWN][::-1],
            look_ups_before=max(0, len(asked.get(attempt.pk, [])) - LOOK_UPS_SHOWN),
        )
        for attempt in attempts
    ]


def open_case_about(action: Action) -> UUID | None:
    """The undecided case that is about this action."""
    found = Case.objects.filter(
        run_id=action.run_id, action_id=action.pk, decided_at=None, closed_at=None
    )
    return found.values_list("pk", flat=True).first()


def open_attempt(action_id: UUID) -> Attempt | None:
    """The attempt of an action whose outcome nobody knows."""
    found = Attempt.objects.select_related("action").filter(action_id=action_id, outcome="")
    return found.first()


def _open_cases(tenant: Tenant, kind: str, after: UUID | None) -> QuerySet[Case]:
    found = _with_run(Case.objects.filter(tenant=tenant, closed_at=None, decided_at=None))
    found = found.filter(kind=kind) if kind else found
    return (found.filter(id__gt=after) if after is not None else found).order_by("id")


def _with_run(cases: QuerySet[Case]) -> QuerySet[Case]:
    return cases.select_related("run", "tenant").defer("run__input")
