"""Edits that wait for a second person, for the inbox and the pages of cases and runs; bounded."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from approvals import clock, states
from approvals.models import EditRequest

HEAVY: Final = ("bound", "content", "diff")
MOST: Final = 50
# What ran out, or whose case was decided otherwise, needs nobody any more, whether or not the
# sweeper came by.
STILL_ASKED: Final = Q(
    state=states.OPEN,
    expires_at__gt=clock.ClockTimestamp(),
    case__decided_at=None,
    case__closed_at=None,
)


def inbox(
    tenant_ids: Iterable[int], *, limit: int = MOST, after: UUID | None = None
) -> list[EditRequest]:
    """Open edits of these tenants, longest waiting first; `after` is the last id of a page."""
    found = light().filter(STILL_ASKED, tenant_id__in=list(tenant_ids))
    found = found if after is None else found.filter(id__gt=after)
    return list(found.order_by("id")[:limit])


def open_counts(tenant_ids: Iterable[int]) -> dict[int, int]:
    """How many edits are open per tenant; a tenant without any is not in it."""
    found = EditRequest.objects.filter(STILL_ASKED, tenant_id__in=list(tenant_ids))
    return dict(found.values_list("tenant_id").annotate(Count("id")).order_by())


def of_case(case_id: UUID, *, limit: int = MOST) -> list[EditRequest]:
    """The edits proposed in a case, newest first."""
    return list(light().filter(case_id=case_id).order_by("-id")[:limit])


def light() -> QuerySet[EditRequest]:
    """Edits with their run, tenant and author, without the bytes; the reader sets the bound."""
    found = EditRequest.objects.select_related("run", "tenant", "author")
    return found.defer(*HEAVY, "run__input")


def why_not(edit: EditRequest, *, user_id: int, email: str, rights: frozenset[str]) -> str:
    """Why a person may not decide an edit: *no_right*, *own_edit*, *own_run*, *not_shown*; "" if they may."""
    if edit.author_id == user_id:
        return "own_edit"
    if "approve_actions" not in rights:
        return "no_right"
    if edit.starter_id == user_id or edit.on_behalf_of.strip().lower() == email.lower():
        return "own_run"
    return "" if {"view_runs", "read_payloads"} <= rights else "not_shown"
