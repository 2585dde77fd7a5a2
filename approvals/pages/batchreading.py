"""What the page of a batch shows of each change: small ones whole, of all their classes of file.

In a constant number of queries, and bounded in bytes: what is too large is opened on its own page.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Func, IntegerField

from approvals.drift import rereading
from approvals.models import ApprovalRequest
from approvals.showing import changes, coverage, opening, reading, shown
from approvals.showing.coverage import Coverage
from approvals.showing.shown import Part
from approvals.showing.viewing import Look
from canonical.fileclasses import ClassSummary
from tenants.scope import TenantRequest

SMALL: Final = 6_000  # bytes of a change that stands whole in the list
ROOM: Final = 200_000  # of all changes that do
SUMMED_UP: Final = 1_000_000  # bytes of a change whose files are counted for the list
SUMMED_UP_ROOM: Final = 8_000_000

Json = Any


@dataclass(frozen=True)
class Glance:
    """One change in the list. `change` and `parameters` are there when it is shown whole (see
    `approvals.showing.changes`); `classes` are those of its files, if they were counted.

    `left` is how many parts this person has not opened, `why_all` why all must be ("" for no).
    `shown` are the parts shown here, out of `everything`.
    """

    classes: Sequence[ClassSummary] = ()
    change: Json = None
    parameters: Json = None
    left: int = 0
    why_all: str = ""
    shown: Sequence[Part] = field(default=(), repr=False)
    everything: Sequence[Part] = field(default=(), repr=False)


def glances(request: TenantRequest, asked: Sequence[ApprovalRequest]) -> dict[UUID, Glance]:
    """Each change as this person sees it in the list; keeps what of it is shown whole here."""
    found = {each.pk: _glance(each, is_small=small) for each, small in _with_bytes(asked)}
    if reading.is_read(request):
        shown.record_all(request.user, {pk: each.shown for pk, each in found.items()})
    opened = shown.opened_of_all([each.pk for each in asked], request.user)
    why_all = cache(opening.why_all_of)
    told = {}
    for each in asked:
        glance = found.get(each.pk, Glance())
        left = _covered(request, each, glance, opened[each.pk]).unopened
        why = why_all(*opening.decides(each)) if left else ""
        told[each.pk] = replace(glance, left=left, why_all=why)
    return told


def _covered(
    request: TenantRequest, asked: ApprovalRequest, glance: Glance, names: set[str]
) -> Coverage:
    if not glance.everything:  # too large to be read for a list
        return coverage.of(asked, request.user)
    read = rereading.carried(asked, request.user, glance.everything)
    return coverage.counted(glance.everything, names | read)


def _glance(asked: ApprovalRequest, *, is_small: bool) -> Glance:
    about, everything = coverage.outline_of(asked), coverage.parts(asked)
    classes = about.summaries if about is not None else ()
    if not is_small:
        return Glance(classes, everything=everything)
    look = Look(whole=True)
    change, parameters = changes.shown(asked, look), changes.parameters(asked, look)
    for file in change.get("files", ()):
        file["number"] = ""  # numbers are of one change, and name places on a page
    parts = [*change["parts"], *parameters["parts"]]
    return Glance(classes, change, parameters, shown=parts, everything=everything)


def _with_bytes(asked: Sequence[ApprovalRequest]) -> Iterable[tuple[ApprovalRequest, bool]]:
    """Those whose bytes are read at all, first come first served, and which are shown whole."""
    sizes = _sizes([each.pk for each in asked])
    room, small_room, chosen, small = SUMMED_UP_ROOM, ROOM, [], set()
    for each in asked:
        size = sizes[each.pk]
        if size > min(SUMMED_UP, room):
            continue
        room -= size
        chosen.append(each.pk)
        if size <= min(SMALL, small_room):
            small_room -= size
            small.add(each.pk)
    found = ApprovalRequest.objects.filter(pk__in=chosen).select_related("tenant").defer("bound")
    for each in found.order_by("id"):
        yield each, each.pk in small


def _sizes(ids: Sequence[UUID]) -> dict[UUID, int]:
    def octets(column: str) -> Func:
        return Func(F(column), function="octet_length", output_field=IntegerField())

    sizes = ApprovalRequest.objects.filter(pk__in=ids).annotate(
        size=octets("diff") + octets("parameters")
    )
    return dict(sizes.values_list("pk", "size"))
