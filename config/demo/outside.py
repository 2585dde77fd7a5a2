"""The outside world as its page shows it: totals, and a table for each tenant in view."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.demo import world
from config.demo.twin.asked import PUSH
from config.demo.world import Row
from tenants.access import Access
from tenants.models import Tenant


@dataclass(frozen=True)
class Side:
    """What one side made of one thing, as a word and a tone; `count` None: it cannot be read."""

    count: int | None
    word: str
    tone: str
    shape: str


@dataclass(frozen=True)
class Line:
    """One thing asked for, as the table shows it."""

    row: Row
    what: str
    kedge: Side
    twin: Side


def page(access: Access, *, only_doubled: bool) -> dict[str, Any]:
    """The context of the page. `kind` is the empty state to show where there are no tables."""
    ids = access.tenants("view_runs")
    tenants = list(Tenant.objects.filter(pk__in=list(ids)).order_by("name"))
    found = world.seen().of(tenant.slug for tenant in tenants)
    rows = [row for row in found.rows if row.is_doubled or not only_doubled]
    tables = [
        (tenant, [_line(row) for row in rows if row.tenant == tenant.slug]) for tenant in tenants
    ]
    return {
        "found": found,
        "headline": headline(found),
        "tables": [(tenant, lines) for tenant, lines in tables if lines],
        "only_doubled": only_doubled,
        "kind": _kind(found, bool(tenants)),
    }


def headline(found: world.World) -> str:
    """How often each side was asked and what arrived, in one line."""
    numbers = {side: found.total(side) for side in ("asked", "kedge", "twin")}
    return (
        _(
            "Kedge: %(asked)d asked, %(kedge)d arrived. Plain retry: %(asked)d asked, %(twin)d arrived."
        )
        % numbers
    )


def _kind(found: world.World, may_see: bool) -> str:  # noqa: FBT001 - two facts, one answer
    if not may_see:
        return "not_permitted"
    if found.rows:
        return "nothing_matches"
    return "query_failed" if found.unreadable else "nothing_yet"


def _line(row: Row) -> Line:
    words = _("Push to %(what)s") if row.kind == PUSH else _("Mail to %(what)s")
    return Line(
        row, words % {"what": row.what}, _side(row.kedge, row.asked), _side(row.twin, row.asked)
    )


def _side(count: int | None, asked: int) -> Side:
    if count is None:
        return Side(None, _("cannot be read"), "waiting", "question")
    if count > asked:
        more = count - asked
        word = ngettext("%(n)d duplicate", "%(n)d duplicates", more) % {"n": more}
        return Side(count, word, "person", "problem")
    if count < asked:
        return Side(count, _("not arrived yet"), "waiting", "ring")
    return Side(count, _("as asked"), "done", "check")
