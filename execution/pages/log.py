"""Who did what to a run: its events page by page, and the audit rows about it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from approvals.models import ApprovalRequest
from checkpoints.models import Case, Event, Run
from execution.pages.telling import words_of
from reconciliation.models import Action
from tenants.models import AuditRow

ROWS: Final = 50
MOST_SUBJECTS: Final = 200
# Audit rows are found by subject among the newest of their tenant: they have one index, by time.
LOOKED_AT: Final = 20_000


@dataclass(frozen=True)
class Line:
    """One thing somebody did: when, who, what, and the rest as text."""

    at: Any
    who: str
    what: str
    detail: str


@dataclass(frozen=True)
class Page:
    """Lines, newest first. `older` is the number below which there are more, or None."""

    lines: Sequence[Line]
    older: int | None = None


def events(run: Run, *, before: int | None = None) -> Page:
    """The events of a run."""
    found = Event.objects.filter(run_id=run.id)
    if before is not None:
        found = found.filter(id__lt=before)
    rows = list(found.order_by("-id")[: ROWS + 1])
    lines = [
        Line(row.at, row.actor, words_of(row.what), _detail(row.detail)) for row in rows[:ROWS]
    ]
    return Page(lines, rows[ROWS - 1].id if len(rows) > ROWS else None)


def audit(run: Run) -> Page:
    """The newest audit rows about a run, its actions, requests and cases."""
    newest = AuditRow.objects.filter(tenant_id=run.tenant_id).order_by("-audit_id")
    looked_at = newest.values("audit_id")[:LOOKED_AT]
    rows = list(newest.filter(audit_id__in=looked_at, subject__in=_subjects(run))[: ROWS + 1])
    lines = [
        Line(row.at, row.actor_name, f"{row.verb} {row.subject}", _detail(row.detail))
        for row in rows[:ROWS]
    ]
    return Page(lines, rows[ROWS - 1].audit_id if len(rows) > ROWS else None)


def _subjects(run: Run) -> list[str]:
    actions = Action.objects.filter(run=run).order_by("-proposed_seq")
    requests = ApprovalRequest.objects.filter(run=run).order_by("-id")
    cases = Case.objects.filter(run=run).order_by("-id")
    return [
        f"run {run.id}",
        *(f"action {each}" for each in actions.values_list("id", flat=True)[:MOST_SUBJECTS]),
        *(f"request:{each}" for each in requests.values_list("id", flat=True)[:MOST_SUBJECTS]),
        *(f"case {each}" for each in cases.values_list("id", flat=True)[:MOST_SUBJECTS]),
    ]


def _detail(detail: dict[str, Any]) -> str:
    if not detail:
        return ""
    parts = [f"{name}: {_text(value)}" for name, value in sorted(detail.items())]
    return " · ".join(parts)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
