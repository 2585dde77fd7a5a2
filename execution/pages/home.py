"""What a tenant's home reads beside its problems: what needs a person, how runs are doing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from approvals import queries as approvals
from approvals import states as permission
from approvals.edits import waiting as edits
from approvals.models import ApprovalRequest
from checkpoints import states
from checkpoints.models import Recovery, Run
from checkpoints.pages.runlist import live_counts
from execution.pages import takeovers
from execution.pages.figures import LOOKED_AT
from execution.pages.places import INBOX, place
from execution.problems import counting, overview
from execution.problems.standing import Standing
from reconciliation.models import Attempt, LookUp
from tenants import pills
from tenants.access import Access
from tenants.models import Tenant

MOST: Final = 1_000
MOST_PROBLEMS: Final = 20
MOST_RECOVERIES: Final = 8


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
class Recovered:
    """One recovery: its run, its story in one sentence, how long it took."""

    run: Run
    at: datetime
    sentence: str
    took: float | None


def needs(tenant: Tenant, problems: Sequence[Standing]) -> list[Need]:
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
    waiting = overview.by_kind(problems)
    for kind in states.CASE_KINDS:
        if kind in waiting:
            text = str(pills.reason_words(kind)).capitalize()
            found.append(Need(text, states.HELD, kind, *waiting[kind], url))
    return found


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
    """Counts only, one line per tenant: what is wrong, what needs a person, what stands, what moves."""
    ids = [tenant.pk for tenant in tenants if access.may(tenant.pk, "view_runs")]
    asked, written = approvals.open_counts(ids), edits.open_counts(ids)
    by_status, problems = live_counts(ids), counting.open_counts(ids)
    return [
        {
            "tenant": tenant,
            "may": tenant.pk in ids,
            "problems": problems.get(tenant.pk, 0),
            "questions": asked.get(tenant.pk, 0) + written.get(tenant.pk, 0),
            **{status: by_status.get((tenant.pk, status), 0) for status in states.LIVE},
        }
        for tenant in tenants
    ]
