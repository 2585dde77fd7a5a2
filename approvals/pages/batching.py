"""The page of a batch: what is chosen, with hash, summary and totals, and what became of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import clock, judging, queries, states, totals
from approvals.errors import DamagedRequestError
from approvals.models import ApprovalRequest, Batch, BatchEntry
from approvals.models.together import MOST_IN_A_BATCH
from approvals.pages import batchreading, wording
from approvals.pages.batchreading import Glance
from approvals.pages.forms import BatchForm
from approvals.pages.telling import WHY_NOT
from approvals.people import deciders, proving
from approvals.rules import Quorum, classes
from canonical import display
from tenants.amounts import short
from tenants.scope import TenantRequest

MOST_LINES: Final = 4
RISKS: Final[dict[str, str | Promise]] = {
    classes.REVERSIBLE: gettext_lazy("can be undone"),
    classes.COMPENSABLE: gettext_lazy("can be set right, not undone"),
    classes.IRREVERSIBLE: gettext_lazy("cannot be undone"),
}


@dataclass(frozen=True)
class Line:
    """One question of a batch as its page shows it, with the hash that is posted for it.

    `summary` are the tool's lines about the change, `more` how many are not shown here; `without`
    is the address of the same batch without this one; `glance` the change itself.
    """

    asked: ApprovalRequest
    pair: str
    code: str
    size: str
    risk: str
    needed: int
    summary: Sequence[str]
    more: int
    without: str
    glance: Glance


@dataclass(frozen=True)
class LeftOut:
    """One question that was chosen and cannot be decided here, and why."""

    asked: ApprovalRequest
    why: str


@dataclass(frozen=True)
class Result:
    """What became of one pair; `entry` None: it was not reached, so nothing was decided."""

    asked: ApprovalRequest
    code: str
    entry: BatchEntry | None


def proposed(
    request: TenantRequest, ids: Iterable[UUID], form: BatchForm | None = None, reason: str = ""
) -> dict[str, Any]:
    """The context of the page on which many are decided; `form` was posted and not accepted."""
    chosen = list(dict.fromkeys(ids))
    found = queries.light().filter(tenant=request.tenant, pk__in=chosen[:MOST_IN_A_BATCH])
    asked = list(found.order_by("id"))
    damaged = {each.pk for each in asked if _is_damaged(each)}
    why_not = _why_not(request, (each for each in asked if each.pk not in damaged))
    why_not |= {pk: _("It is damaged, so nobody may decide it.") for pk in damaged}
    yours = [each for each in asked if each.pk not in why_not]
    reads = request.access.may(request.tenant.pk, "read_payloads")
    seen = batchreading.glances(request, yours) if reads else {}
    lines = [_line(request, each, yours, seen.get(each.pk, Glance())) for each in yours]
    demands = [judging.demands(each) for each in yours]
    sums = totals.of(
        (each.magnitude, need.reversibility) for each, need in zip(yours, demands, strict=True)
    )
    return {
        "section": "needs",
        "reads": reads,
        "lines": lines,
        **_unopened(lines),
        "left_out": [LeftOut(each, why_not[each.pk]) for each in asked if each.pk in why_not],
        "not_here": len(chosen[:MOST_IN_A_BATCH]) - len(asked),
        "too_many": max(0, len(chosen) - MOST_IN_A_BATCH),
        "most": MOST_IN_A_BATCH,
        "totals": _told(sums),
        "risk": sums.riskiest,
        "needs_proof": any(proving.is_needed(each) for each in yours),
        "form": form or BatchForm(initial={"nonce": uuid4(), "reason": reason}),
    }


def became(batch: Batch) -> dict[str, Any]:
    """The context of the result page: what was counted, what was left out and why, what is not done."""
    asked = queries.light().in_bulk([UUID(request_id) for request_id, _shown in batch.pairs])
    said = {entry.request_id: entry for entry in batch.entries.all()[:MOST_IN_A_BATCH]}
    results = [
        Result(asked[UUID(request_id)], short(shown), said.get(UUID(request_id)))
        for request_id, shown in batch.pairs
    ]
    not_reached = [each.asked.pk for each in results if each.entry is None]
    return {
        "section": "needs",
        "batch": batch,
        "counted": [each for each in results if each.entry is not None and not each.entry.code],
        "left_out": [each for each in results if each.entry is not None and each.entry.code],
        "not_reached": [each for each in results if each.entry is None],
        "again": address(batch.tenant.slug, not_reached) if not_reached else "",
    }


def address(slug: str, ids: Iterable[UUID]) -> str:
    """The page on which these are decided together."""
    chosen = urlencode([("r", each.hex) for each in ids])
    return f"{reverse('approvals:batch', args=[slug])}?{chosen}"


def _unopened(lines: Sequence[Line]) -> dict[str, Any]:
    """How many may be said yes to as they are, and what those who may decide without go without."""
    waived = [line for line in lines if line.glance.left and not line.glance.why_all]
    return {
        "opened": sum(not line.glance.left for line in lines),
        "unopened": sum(bool(line.glance.left) for line in lines),
        "must_open": sum(bool(line.glance.left and line.glance.why_all) for line in lines),
        "waived": len(waived),
        "waived_parts": sum(line.glance.left for line in waived),
    }


def _line(
    request: TenantRequest, asked: ApprovalRequest, yours: list[ApprovalRequest], glance: Glance
) -> Line:
    demands = judging.demands(asked)
    return Line(
        asked=asked,
        pair=f"{asked.pk}:{asked.action_hash}",
        code=asked.action_hash[:8],
        size=wording.magnitude(asked.magnitude),
        risk=str(RISKS[classes.as_known(demands.reversibility)]),
        needed=demands.approvers,
        summary=[display.visible(line) for line in asked.summary[:MOST_LINES]],
        more=max(0, len(asked.summary) - MOST_LINES),
        without=address(request.tenant.slug, (each.pk for each in yours if each.pk != asked.pk)),
        glance=glance,
    )


def _why_not(request: TenantRequest, asked: Iterable[ApprovalRequest]) -> dict[UUID, str]:
    """Why these cannot be decided by this person now; "" for a closed one, which says it itself.

    In a constant number of queries. The verb judges each again, under its locks.
    """
    asked = list(asked)
    answered = queries.answered_by(request.user, [each.pk for each in asked])
    now, is_asked = clock.now(), _Asked(request)
    found = {}
    for each in asked:
        if each.state != states.OPEN:
            found[each.pk] = ""
        elif each.expires_at <= now:
            found[each.pk] = _("Its time is over. Nothing is sent.")
        elif each.pk in answered:
            found[each.pk] = _("You have answered it. One answer per person counts.")
        elif judging.is_own(each, request.user):
            found[each.pk] = str(WHY_NOT["own_run"])
        elif not is_asked.by(each):
            found[each.pk] = str(WHY_NOT["not_asked"])
    return found


def _is_damaged(asked: ApprovalRequest) -> bool:
    """True if not even its demand can be read. The verb looks at every byte."""
    try:
        judging.demands(asked)
    except DamagedRequestError:
        return True
    return False


class _Asked:
    """Whether the rules ask this person, looked up once per kind of demand."""

    def __init__(self, request: TenantRequest) -> None:
        self.request = request
        self.known: dict[tuple[Quorum, ...], bool] = {}

    def by(self, asked: ApprovalRequest) -> bool:
        """True if a yes of this person could count towards what this question demands."""
        demands = judging.demands(asked)
        if not demands.quorums:
            return True
        if demands.quorums not in self.known:
            tenant, user = self.request.tenant, self.request.user
            [person] = deciders.of_users(tenant.pk, demands, [user])
            self.known[demands.quorums] = demands.counts(person)
        return self.known[demands.quorums]


def _told(sums: totals.Totals) -> dict[str, Any]:
    return {
        "sizes": wording.together(sums.money, sums.counts),
        "unmeasured": sums.unmeasured,
        "risk": str(RISKS.get(sums.riskiest, "")),
    }
