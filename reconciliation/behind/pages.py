"""What the pages of the record say: where it is and was written, what is apart, what it lacks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkpoints.models import Case
from reconciliation.behind import lifting, noticing, settling
from reconciliation.behind import models as of_line
from reconciliation.behind.models import Divergence, JournalMark, MissingLine
from reconciliation.journal import belonging
from reconciliation.journal.belonging import Seen
from reconciliation.journal.rooms import room
from reconciliation.models import Action, Attempt
from tenants.models import Tenant

MOST: Final = 100
Fact = dict[str, Any]

LACKS: Final = {
    of_line.ATTEMPT: gettext_lazy("that it was sent"),
    of_line.ACTION: gettext_lazy("the whole effect"),
    of_line.RUN: gettext_lazy("the whole run"),
}
FOUND: Final = {
    "": gettext_lazy("not asked yet"),
    of_line.THERE: gettext_lazy("the tool says: it is there"),
    of_line.NOT_THERE: gettext_lazy("the tool says: it is not there"),
    of_line.VOIDED: gettext_lazy("the tool says: it is not there, and never will be"),
    of_line.UNANSWERED: gettext_lazy("the tool has not said yet"),
    of_line.CANNOT_BE_ASKED: gettext_lazy("the tool cannot be asked"),
}
BECAME: Final = {
    of_line.OPEN: gettext_lazy("Open"),
    of_line.HAPPENED: gettext_lazy("Happened"),
    of_line.DID_NOT_HAPPEN: gettext_lazy("Did not happen"),
    of_line.NOBODY_KNOWS: gettext_lazy("Nobody knows"),
    of_line.WRITTEN_OFF: gettext_lazy("Written off"),
}
TONES: Final = {
    of_line.OPEN: ("person", "clock"),
    of_line.HAPPENED: ("done", "check"),
    of_line.DID_NOT_HAPPEN: ("waiting", "cross"),
    of_line.NOBODY_KNOWS: ("unknown", "clock"),
    of_line.WRITTEN_OFF: ("unknown", "clock"),
}


@dataclass(frozen=True)
class Standing:
    """Whether record, PostgreSQL and journal belong together; `keeps`: why nobody lifts it yet."""

    divergence: Divergence | None
    said: Sequence[str]
    keeps: str
    facts: Sequence[Fact]


@dataclass(frozen=True)
class Told:
    """One missing line: what it lacks, what the tool said, what became of it, what can be done."""

    line: MissingLine
    lacks: str
    found: str
    became: str
    tone: str
    icon: str
    action_url: str
    case_url: str
    may_settle: bool


@dataclass(frozen=True)
class Counted:
    """How many lines of a tenant the record lacks, and how many are open."""

    slug: str
    name: str
    lines: int
    open_lines: int


def standing() -> Standing:
    """Where the record is, compared now; the same for every tenant."""
    open_now = Divergence.objects.select_related("stop").filter(ended_at=None).first()
    seen = belonging.known()
    codes = open_now.codes if open_now else seen.moved() if seen else []
    keeps = lifting.kept_by(open_now.stop_id) if open_now else ""
    return Standing(open_now, [str(noticing.SHOWN[code]) for code in codes], keeps, _facts(seen))


def lines(tenant: Tenant | None, after: int = 0) -> tuple[list[Told], int]:
    """A page of lines of a tenant (None: of those whose tenant is lost), in the order in which they
    were noticed, and the number to go on from, 0 when there are no more."""
    mine = MissingLine.objects.filter(tenant=tenant).select_related("settled_by")
    found = list(mine.filter(pk__gt=after).order_by("pk")[: MOST + 1])
    more = found[MOST - 1].pk if len(found) > MOST else 0
    return _told(found[:MOST]), more


def counted(tenant_ids: Collection[int]) -> list[Counted]:
    """The tenants with lines, by name."""
    mine = MissingLine.objects.filter(tenant_id__in=tenant_ids)
    counts = mine.values("tenant__slug", "tenant__name").annotate(
        lines=Count("pk"), are_open=Count("pk", filter=Q(became=of_line.OPEN))
    )
    return [
        Counted(row["tenant__slug"], row["tenant__name"], row["lines"], row["are_open"])
        for row in counts.order_by("tenant__name")[:MOST]
    ]


def _told(found: list[MissingLine]) -> list[Told]:
    runs = [each.run_id for each in found]
    actions = set(
        Action.objects.filter(pk__in=[each.action_id for each in found]).values_list(
            "pk", flat=True
        )
    )
    open_cases = Case.objects.filter(run_id__in=runs, decided_at=None, closed_at=None)
    cases = dict(open_cases.values_list("run_id", "pk"))
    slugs = dict(
        Tenant.objects.filter(pk__in={each.tenant_id for each in found}).values_list("pk", "slug")
    )
    attempts = Attempt.objects.filter(pk__in=[each.attempt_id for each in found])
    around = _Around(slugs, actions, set(attempts.values_list("pk", flat=True)), cases)
    return [_one(each, around) for each in found]


@dataclass(frozen=True)
class _Around:
    """What is there of many lines, read at once: tenants by id, actions, attempts, cases by run."""

    slugs: Mapping[int, str]
    actions: Collection[UUID]
    attempts: Collection[UUID]
    cases: Mapping[UUID, UUID]


def _one(line: MissingLine, around: _Around) -> Told:
    slug, cases, actions = around.slugs.get(line.tenant_id or 0, ""), around.cases, around.actions
    in_ledger = line.attempt_id in around.attempts
    tone, icon = TONES[line.became]
    case = cases.get(line.run_id) if line.became == of_line.OPEN else None
    there = slug and line.action_id in actions
    return Told(
        line,
        str(LACKS[line.lacks]),
        str(FOUND[line.found]) if line.lacks != of_line.ATTEMPT else "",
        str(BECAME[line.became]),
        tone,
        icon,
        reverse("reconciliation:action", args=[slug, line.action_id]) if there else "",
        reverse("reconciliation:case", args=[slug, case]) if slug and case else "",
        settling.is_a_persons(line, has_case=line.run_id in cases, in_ledger=in_ledger),
    )


def _facts(seen: Seen | None) -> list[Fact]:
    if seen is None:
        return []
    mark = JournalMark.objects.first()
    same = not seen.moved()
    here = _("PostgreSQL %(system)s, timeline %(timeline)s")
    rows = [
        (_("Installation"), seen.installation, None),
        (_("Written on"), here % {"system": seen.stored[0], "timeline": seen.stored[1]}, None),
        (
            _("It is on"),
            _("the same") if same else here % {"system": seen.live[0], "timeline": seen.live[1]},
            None,
        ),
        (_("Its journal"), room().name, None),
        (
            _("Compared up to"),
            _("line %(n)s") % {"n": mark.seq} if mark else _("nothing yet"),
            mark.compared_at if mark else None,
        ),
    ]
    return [
        {"label": label, "value": value, "at": at, "url": "", "note": ""}
        for label, value, at in rows
    ]
