"""What a tenant's home reads: what needs a person, which problems stand, how runs are doing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from approvals import queries as approvals
from approvals import states as permission
from approvals.edits import waiting as edits
from approvals.models import ApprovalRequest
from checkpoints import states
from checkpoints.models import Case, Recovery, Run
from checkpoints.pages.runlist import live_counts
from execution.pages import takeovers
from execution.pages.figures import LOOKED_AT
from execution.pages.places import CASE, INBOX, place
from reconciliation.models import Attempt, LookUp
from tenants import pills
from tenants.access import Access
from tenants.models import Tenant

MOST: Final = 1_000
MOST_PROBLEMS: Final = 20
MOST_RECOVERIES: Final = 8

# Worst first: harm that is done, harm nobody can rule out, then everything that only waits.
HARM: Final = (states.DUPLICATE_EFFECT, states.CONTRADICTED, states.OUTCOME_UNKNOWN)


@dataclass(frozen=True)
class Need:
    """One kind of thing that waits for a person."""

    text: str
    status: str
    reason: str
    count: int
    oldest: datetime
    url: str


@dataclass(frozen=True)
class Problem:
    """Open cases with one fingerprint: what is wrong in words, how many runs, since when."""

    sentence: str
    kind: str
    task_type: str
    runs: int
    first_seen: datetime
    last_seen: datetime
    decided: int
    url: str


@dataclass(frozen=True)
class Recovered:
    """One recovery: its run, its story in one sentence, how long it took."""

    run: Run
    at: datetime
    sentence: str
    took: float | None


def open_cases(tenant: Tenant) -> list[Case]:
    """The cases that are not closed, newest first, at most `MOST`."""
    found = Case.objects.filter(tenant=tenant, closed_at=None).select_related("run")
    return list(found.defer("facts", "run__input").order_by("-id")[:MOST])


def needs(tenant: Tenant, cases: Iterable[Case]) -> list[Need]:
    """What waits for a person by kind, questions first, then cases, the oldest of each."""
    url = place(INBOX, tenant)
    found = []
    asked = ApprovalRequest.objects.filter(tenant=tenant, state=permission.OPEN)
    times = list(asked.order_by("id").values_list("asked_at", flat=True)[: MOST + 1])
    if times:
        text = _("Would change something outside: approve or reject")
        found.append(Need(text, permission.OPEN, "", len(times), times[0], url))
    late = [each.asked for each in approvals.unsent(tenant.pk) if each.is_late]
    if late:
        text = _("Approved and not sent: something holds it")
        since = late[0].closed_at or late[0].asked_at
        found.append(Need(text, permission.APPROVED, "", len(late), since, f"{url}#unsent"))
    written = edits.inbox([tenant.pk], limit=MOST)
    if written:
        text = _("States written by hand: a second person has to approve them")
        since = written[0].asked_at
        found.append(Need(text, permission.OPEN, "", len(written), since, f"{url}?kind=edit"))
    undecided = [case for case in cases if case.decided_at is None]
    for kind in states.CASE_KINDS:
        alike = [case.opened_at for case in undecided if case.kind == kind]
        if alike:
            text = str(pills.reason_words(kind)).capitalize()
            found.append(Need(text, states.HELD, kind, len(alike), min(alike), url))
    return found


def problems(tenant: Tenant, cases: Iterable[Case]) -> list[Problem]:
    """Open cases grouped by fingerprint: by harm, then by how many runs."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.fingerprint, []).append(case)
    found = [_problem(tenant, group) for group in groups.values()]
    found.sort(key=lambda problem: (_harm(problem.kind), -problem.runs, problem.first_seen))
    return found[:MOST_PROBLEMS]


def recoveries(tenant: Tenant) -> list[Recovered]:
    """The newest recoveries of a tenant, told in one sentence each."""
    looked_at = Recovery.objects.order_by("-id").values("pk")[:LOOKED_AT]
    found = Recovery.objects.filter(pk__in=looked_at, run__tenant=tenant).select_related("run")
    newest = list(found.defer("run__input").order_by("-id")[:MOST_RECOVERIES])
    runs = [recovery.run_id for recovery in newest]
    attempts = Attempt.objects.filter(action__run__in=runs).select_related("action")
    look_ups = LookUp.objects.filter(attempt__action__run__in=runs)
    calls = list(attempts.defer("action__parameters").order_by("-dispatched_at")[:MOST])
    asked = list(look_ups.select_related("attempt__action").order_by("-id")[:MOST])
    return [
        Recovered(
            recovery.run,
            recovery.noticed_at,
            takeovers.sentence(
                recovery,
                takeovers.asked_during(
                    recovery,
                    [each for each in calls if each.action.run_id == recovery.run_id],
                    [each for each in asked if each.attempt.action.run_id == recovery.run_id],
                ),
            ),
            takeovers.seconds(recovery),
        )
        for recovery in newest
    ]


def across(tenants: Sequence[Tenant], access: Access) -> list[dict[str, Any]]:
    """Counts only, one line per tenant: what needs a person, what stands, what moves."""
    ids = [tenant.pk for tenant in tenants if access.may(tenant.pk, "view_runs")]
    asked, written = approvals.open_counts(ids), edits.open_counts(ids)
    by_status = live_counts(ids)
    return [
        {
            "tenant": tenant,
            "may": tenant.pk in ids,
            "questions": asked.get(tenant.pk, 0) + written.get(tenant.pk, 0),
            **{status: by_status.get((tenant.pk, status), 0) for status in states.LIVE},
        }
        for tenant in tenants
    ]


def _problem(tenant: Tenant, group: Sequence[Case]) -> Problem:
    newest = group[0]
    url = place(CASE, tenant, newest.id) if len(group) == 1 else place(INBOX, tenant)
    return Problem(
        sentence=newest.sentence,
        kind=newest.kind,
        task_type=newest.run.task_type,
        runs=len({case.run_id for case in group}),
        first_seen=min(case.opened_at for case in group),
        last_seen=max(case.opened_at for case in group),
        decided=sum(case.decided_at is not None for case in group),
        url=url or place("run", tenant, newest.run_id),
    )


def _harm(kind: str) -> int:
    return HARM.index(kind) if kind in HARM else len(HARM)
