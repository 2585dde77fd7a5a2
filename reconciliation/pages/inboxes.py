"""The inbox as one person sees it: rows, filters with counts, and which entry is theirs next."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import judging, onward
from approvals import queries as permission
from approvals.edits import waiting as edits
from approvals.models import HandOver
from approvals.pages import batching
from approvals.people import handovers
from checkpoints import states
from reconciliation.casework import queue
from reconciliation.casework.queue import Worked
from reconciliation.pages import kinds, queries
from reconciliation.pages.queries import APPROVAL, EDIT, Waiting
from tenants.pills import Pill
from tenants.scope import TenantRequest

KINDS: Final = (APPROVAL, EDIT, *states.CASE_KINDS)
# A filter of its own: the approvals that somebody asked this person to decide.
HANDED: Final = "handed"
LATE: Final = Pill(gettext_lazy("Late"), "person", "clock", final=False)
LOOKED_THROUGH: Final = 200

YOURS: Final = gettext_lazy("you can")
WHY_NOT: Final[dict[str, str | Promise]] = {
    "own_run": gettext_lazy("somebody else: you started it"),
    "no_right": gettext_lazy("somebody else: you lack the right"),
    "answered": gettext_lazy("somebody else: you have answered"),
    "decided": gettext_lazy("nobody: the run has to prove it"),
    "own_edit": gettext_lazy("somebody else: you wrote it"),
    "not_shown": gettext_lazy("somebody else: you may not see it"),
}


@dataclass(frozen=True)
class Row:
    """One entry: what would happen or what is wrong, and whether this person may decide it.

    `handed` are the hand-overs of it that stand; `choice` names it in a batch, "" when it cannot
    be part of one.
    """

    waiting: Waiting
    pill: Pill
    text: str
    target: str
    url: str
    who: str | Promise
    yours: bool
    handed: list[HandOver]
    choice: str
    worked: Worked | None = None


def page(request: TenantRequest) -> dict[str, Any]:
    """The context of the inbox page."""
    tenant, kind = request.tenant, _kind(request.GET)
    found = _found(request, kind, _after(request.GET), queries.A_PAGE + 1)
    rows = _rows(request, found[: queries.A_PAGE])
    counts = queries.inbox_counts(tenant)
    handed = permission.handed_count(tenant.pk, request.user)
    total = sum(counts.values())
    address = reverse("inbox", args=[tenant.slug])
    by_work = queue.counts(tenant, request.user)
    here = (counts | {HANDED: handed} | by_work).get(kind, 0) if kind else total
    is_first = not kind and "after" not in request.GET
    return {
        "section": "needs",
        "rows": rows,
        "kind": kind,
        "plan_kind": _plan_kind(request, kind, here),
        "total": total,
        "hidden": total if kind == queue.UNPROVEN else total - here,
        "filters": _filters(counts, handed, kind, address),
        "work_filters": _by_work(by_work, kind, address),
        "next_url": onward.url(tenant, kind),
        "address": address,
        "choices": [row.choice for row in rows if row.choice],
        "all_choices": _all_choices(tenant.slug, rows),
        "not_proven": queries.not_proven(tenant) if is_first else [],
        "unsent": permission.unsent(tenant.pk) if is_first else [],
        "late": LATE,
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


def _plan_kind(request: TenantRequest, kind: str, here: int) -> str:
    """The kind of case for all of which this person may make one plan; "" for none."""
    may = request.access.may(request.tenant.pk, "reconcile_actions")
    return kind if here > 1 and may and kind in states.CASE_KINDS else ""


def next_for(request: TenantRequest) -> Waiting | None:
    """The oldest entry this person may decide and has not, after the one named by `after`.

    Looks through a bounded number of entries, so that one click is one short request.
    """
    kind, after, looked = _kind(request.GET), _after(request.GET), 0
    while looked < LOOKED_THROUGH:
        found = _found(request, kind, after, queries.A_PAGE)
        done = _answered(request, found) | _given_away(request, found) | _claimed(request, found)
        for waiting in found:
            if waiting.id not in done and not _why_not(request, waiting):
                return waiting
        if len(found) < queries.A_PAGE:
            return None
        after, looked = found[-1].id, looked + len(found)
    return None


def _found(request: TenantRequest, kind: str, after: UUID | None, limit: int) -> list[Waiting]:
    if kind == HANDED:
        return queries.inbox(request.tenant, after=after, limit=limit, handed_to=request.user)
    if kind in queue.PILLS:
        cases = queue.page(request.tenant, request.user, kind, after=after, limit=limit)
        return [Waiting(each.pk, each.kind, each.opened_at, case=each) for each in cases]
    return queries.inbox(request.tenant, kind=kind, after=after, limit=limit)


def _claimed(request: TenantRequest, found: list[Waiting]) -> set[UUID]:
    """The cases that somebody else has claimed: they are at it."""
    worked = queue.worked(request.tenant, [each.case for each in found if each.case is not None])
    mine = request.user.pk
    return {pk for pk, each in worked.items() if each.claim and each.claim.holder_id != mine}


def _rows(request: TenantRequest, found: list[Waiting]) -> list[Row]:
    handed = handovers.standing(each.id for each in found if each.request is not None)
    answered = _answered(request, found)
    worked = queue.worked(request.tenant, [each.case for each in found if each.case is not None])
    rows = [
        _row(request, each, handed.get(each.id, []), is_answered=each.id in answered)
        for each in found
    ]
    return [replace(row, worked=worked.get(row.waiting.id)) for row in rows]


def _row(
    request: TenantRequest, waiting: Waiting, handed: list[HandOver], *, is_answered: bool
) -> Row:
    why_not = _why_not(request, waiting) or ("answered" if is_answered else "")
    slug, choice = request.tenant.slug, ""
    if waiting.request is not None:
        asked = waiting.request
        text, target = asked.describe, asked.target
        url = reverse("approvals:request", args=[slug, waiting.id])
        choice = "" if why_not else waiting.id.hex
    elif waiting.edit is not None:
        text = _("New state for a held run: %(why)s") % {"why": waiting.edit.reason}
        target = f"{waiting.edit.run.task_type} · {waiting.edit.run.business_key}"
        url = reverse("edit", args=[slug, waiting.id])
    else:
        assert waiting.case is not None  # noqa: S101 - exactly one of the two is there
        text = waiting.case.sentence
        target = f"{waiting.case.run.task_type} · {waiting.case.run.business_key}"
        url = reverse("reconciliation:case", args=[slug, waiting.id])
    who = WHY_NOT[why_not] if why_not else YOURS
    pill = kinds.pill_of(waiting.case) if waiting.case else kinds.PILLS[waiting.kind]
    return Row(waiting, pill, text, target, url, who, not why_not, handed, choice)


def _all_choices(slug: str, rows: list[Row]) -> str:
    """The page on which all of these that are this person's are decided together; "" for one."""
    ids = [row.waiting.id for row in rows if row.choice]
    return batching.address(slug, ids) if len(ids) > 1 else ""


def _given_away(request: TenantRequest, found: list[Waiting]) -> set[UUID]:
    """What this person asked a colleague to take, and nobody asked them back."""
    handed = handovers.standing(each.id for each in found if each.request is not None)
    mine = request.user.pk
    return {
        request_id
        for request_id, given in handed.items()
        if any(each.given_by_id == mine for each in given)
        and not any(each.given_to_id == mine for each in given)
    }


def _answered(request: TenantRequest, found: list[Waiting]) -> set[UUID]:
    asked = [waiting.id for waiting in found if waiting.request is not None]
    return permission.answered_by(request.user, asked)


def _why_not(request: TenantRequest, waiting: Waiting) -> str:
    may, user = request.access.rights[request.tenant.pk], request.user
    if waiting.edit is not None:
        return edits.why_not(waiting.edit, user_id=user.pk, email=user.email, rights=may)
    if waiting.case is not None and waiting.case.decided_at is not None:
        return "decided"
    if waiting.request is None:
        return "" if "reconcile_actions" in may else "no_right"
    if "approve_actions" not in may:
        return "no_right"
    return "own_run" if judging.is_own(waiting.request, request.user) else ""


def _filters(counts: dict[str, int], handed: int, kind: str, address: str) -> list[dict[str, Any]]:
    all_kinds = {
        "pill": Pill(_("All kinds"), "waiting", "filter"),
        "tally": sum(counts.values()),
        "url": address,
        "here": not kind,
    }
    to_me = _filter(
        Pill(_("You were asked"), "person", "person", final=False), handed, HANDED, kind, address
    )
    return [all_kinds, *([to_me] if handed or kind == HANDED else [])] + [
        _filter(kinds.PILLS[each], counts.get(each, 0), each, kind, address)
        for each in KINDS
        if each in counts or each == kind
    ]


def _by_work(tally: Mapping[str, int], kind: str, address: str) -> list[dict[str, Any]]:
    """The filters by who works on a case and how old it is; those without any are left out."""
    return [
        _filter(queue.PILLS[each], number, each, kind, address)
        for each, number in tally.items()
        if number or each == kind
    ]


def _filter(pill: Pill, tally: int, each: str, kind: str, address: str) -> dict[str, Any]:
    return {"pill": pill, "tally": tally, "url": address + _changed(each), "here": each == kind}


def _changed(kind: str, after: UUID | None = None) -> str:
    query = {name: str(value) for name, value in (("kind", kind), ("after", after)) if value}
    return f"?{urlencode(query)}" if query else ""


def _kind(query: QueryDict) -> str:
    given = query.get("kind", "")
    return given if given in (*KINDS, HANDED, *queue.PILLS) else ""


def _after(query: QueryDict) -> UUID | None:
    try:
        return UUID(query.get("after", ""))
    except ValueError:
        return None
