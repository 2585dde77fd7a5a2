"""The inbox as one person sees it: rows, filters with counts, and which entry is theirs next."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import judging
from approvals import queries as permission
from checkpoints import states
from reconciliation import kinds, queries
from reconciliation.queries import APPROVAL, Waiting
from tenants.pills import Pill
from tenants.scope import TenantRequest

KINDS: Final = (APPROVAL, *states.CASE_KINDS)
LOOKED_THROUGH: Final = 200

YOURS: Final = gettext_lazy("you can")
WHY_NOT: Final[dict[str, str | Promise]] = {
    "own_run": gettext_lazy("somebody else: you started it"),
    "no_right": gettext_lazy("somebody else: you lack the right"),
}


@dataclass(frozen=True)
class Row:
    """One entry: what would happen or what is wrong, and whether this person may decide it."""

    waiting: Waiting
    pill: Pill
    text: str
    target: str
    url: str
    who: str | Promise
    yours: bool


def page(request: TenantRequest) -> dict[str, Any]:
    """The context of the inbox page."""
    tenant, kind = request.tenant, _kind(request.GET)
    found = queries.inbox(tenant, kind=kind, after=_after(request.GET), limit=queries.A_PAGE + 1)
    rows = [_row(request, waiting) for waiting in found[: queries.A_PAGE]]
    counts = queries.inbox_counts(tenant)
    total = sum(counts.values())
    address = reverse("inbox", args=[tenant.slug])
    here = counts.get(kind, 0) if kind else total
    return {
        "section": "needs",
        "rows": rows,
        "kind": kind,
        "total": total,
        "hidden": total - here,
        "filters": _filters(counts, kind, address),
        "address": address,
        "not_proven": [] if kind or "after" in request.GET else queries.not_proven(tenant),
        "pager": {
            "shown": len(rows),
            "total": here,
            "counted_to": None,
            "at": None,
            "newer_url": address + _changed(kind) if "after" in request.GET else "",
            "older_url": address + _changed(kind, found[queries.A_PAGE - 1].id)
            if len(found) > queries.A_PAGE
            else "",
        },
    }


def next_for(request: TenantRequest) -> Waiting | None:
    """The oldest entry this person may decide and has not, after the one named by `after`.

    Looks through a bounded number of entries, so that one click is one short request.
    """
    after, looked = _after(request.GET), 0
    while looked < LOOKED_THROUGH:
        found = queries.inbox(request.tenant, after=after, limit=queries.A_PAGE)
        done = _answered(request, found)
        for waiting in found:
            if waiting.id not in done and not _why_not(request, waiting):
                return waiting
        if len(found) < queries.A_PAGE:
            return None
        after, looked = found[-1].id, looked + len(found)
    return None


def _row(request: TenantRequest, waiting: Waiting) -> Row:
    why_not = _why_not(request, waiting)
    slug = request.tenant.slug
    if waiting.request is not None:
        asked = waiting.request
        text, target = asked.describe, asked.target
        url = reverse("approvals:request", args=[slug, waiting.id])
    else:
        assert waiting.case is not None  # noqa: S101 - exactly one of the two is there
        text = waiting.case.sentence
        target = f"{waiting.case.run.task_type} · {waiting.case.run.business_key}"
        url = reverse("reconciliation:case", args=[slug, waiting.id])
    who = WHY_NOT[why_not] if why_not else YOURS
    return Row(waiting, kinds.PILLS[waiting.kind], text, target, url, who, not why_not)


def _answered(request: TenantRequest, found: list[Waiting]) -> set[UUID]:
    asked = [waiting.id for waiting in found if waiting.request is not None]
    return permission.answered_by(request.user, asked)


def _why_not(request: TenantRequest, waiting: Waiting) -> str:
    may = request.access.rights[request.tenant.pk]
    if waiting.request is None:
        return "" if "reconcile_actions" in may else "no_right"
    if "approve_actions" not in may:
        return "no_right"
    return "own_run" if judging.is_own(waiting.request, request.user) else ""


def _filters(counts: dict[str, int], kind: str, address: str) -> list[dict[str, Any]]:
    all_kinds = {
        "pill": Pill(_("All kinds"), "waiting", "filter"),
        "tally": sum(counts.values()),
        "url": address,
        "here": not kind,
    }
    return [all_kinds] + [
        {
            "pill": kinds.PILLS[each],
            "tally": counts.get(each, 0),
            "url": address + _changed(each),
            "here": each == kind,
        }
        for each in KINDS
        if each in counts or each == kind
    ]


def _changed(kind: str, after: UUID | None = None) -> str:
    query = {name: str(value) for name, value in (("kind", kind), ("after", after)) if value}
    return f"?{urlencode(query)}" if query else ""


def _kind(query: QueryDict) -> str:
    given = query.get("kind", "")
    return given if given in KINDS else ""


def _after(query: QueryDict) -> UUID | None:
    try:
        return UUID(query.get("after", ""))
    except ValueError:
        return None
