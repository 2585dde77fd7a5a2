"""What the pages of reports show: bounded lists, and each line beside what the ledger says now."""

from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from canonical import money
from reconciliation import states
from reconciliation.reports.matching import (
    ABSENT,
    DIFFERENT,
    KINDS,
    MATCHED,
    UNKNOWN_TO_US,
    UNREADABLE,
)
from reconciliation.reports.models import Report, ReportLine
from tenants.models import Tenant
from tenants.pills import Pill

A_PAGE: Final = 50
NEWEST: Final = 50

PILLS: Final = {
    MATCHED: Pill(_("Matched"), "done", "check"),
    DIFFERENT: Pill(_("Different"), "person", "problem", final=False),
    ABSENT: Pill(_("Absent"), "person", "empty", final=False),
    UNKNOWN_TO_US: Pill(_("There but unknown to us"), "person", "question", final=False),
    UNREADABLE: Pill(_("Unreadable"), "waiting", "cross", final=False),
}
MEANS: Final[dict[str, str | Promise]] = {
    MATCHED: _("The report has exactly what the ledger has. Where nobody knew, this answers it."),
    DIFFERENT: _("Report and ledger say different things of the same effect. Look at each."),
    ABSENT: _(
        "Sent in this time, over by its end, and no line has it: the provider does not know it."
    ),
    UNKNOWN_TO_US: _("The provider has it, and nothing in this ledger asked for it. Look at each."),
    UNREADABLE: _("Not what the columns are said to hold: a sum, a foot, or a wrong mapping."),
}


@dataclass(frozen=True)
class Tally:
    """One kind: how many, the sums in words, and of how many nobody knows even now."""

    kind: str
    pill: Pill
    means: str | Promise
    number: int
    sums: tuple[str, ...]
    open_now: int


@dataclass(frozen=True)
class Line:
    """One line beside its effect as it is `now`; `money` is "" for what has none."""

    line: ReportLine
    money: str
    now: str


def newest(tenant: Tenant) -> list[Report]:
    """The latest reports, without their files."""
    found = Report.objects.filter(tenant=tenant).select_related("taken_in_by").defer("content")
    return list(found.order_by("-number")[:NEWEST])


def of_id(tenant: Tenant, report_id: UUID) -> Report:
    """One report, without its file. Raises `Report.DoesNotExist`."""
    found = Report.objects.select_related("taken_in_by", "mapped", "tenant").defer("content")
    return found.get(tenant=tenant, pk=report_id)


def tallies(report: Report) -> list[Tally]:
    """Each kind in the order of the page; of how many effects nobody knows is counted now."""
    return [
        Tally(
            kind,
            PILLS[kind] if getattr(report, kind) else replace(PILLS[kind], tone="ended"),
            MEANS[kind],
            getattr(report, kind),
            tuple(money.text(*pair[::-1]) for pair in report.sums.get(kind, {}).items()),
            open_lines(report, kind).count() if kind in (MATCHED, ABSENT) else 0,
        )
        for kind in KINDS
    ]


def open_lines(report: Report, kind: str) -> Any:
    """Lines of a kind whose effect nobody knows of, as the ledger is now."""
    found = report.found.filter(kind=kind, action__stands=states.DISPATCHED)
    return found.filter(answers=True) if kind == MATCHED else found


def lines(report: Report, kind: str, *, after: int) -> tuple[list[Line], bool]:
    """A page of lines behind the one with this id, and whether there are more."""
    found = report.found.filter(kind=kind, pk__gt=after).order_by("pk")
    some = list(found.select_related("action").defer("action__parameters")[: A_PAGE + 1])
    return [_line(each) for each in some[:A_PAGE]], len(some) > A_PAGE


def _line(line: ReportLine) -> Line:
    said = "" if line.amount is None else money.text(line.amount, line.currency)
    return Line(line, said, line.action.outcome or line.action.stands if line.action else "")
