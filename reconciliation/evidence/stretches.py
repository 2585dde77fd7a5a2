"""The audit rows of a piece of evidence, each linked to the next signed head of its chain."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from tenants.models import AuditHead, AuditSeal, Tenant
from tenants.trail import heads
from tenants.trail.rows import head_json, sealed
from tenants.trail.seals import GENESIS

MOST_ROWS: Final = 5000
# Heads come every few hundred rows; a longer way is that of rows older than the first head.
MOST_LINKS: Final = 20_000

Json = Any


def about(tenant: Tenant, subjects: Collection[str]) -> list[dict[str, Json]]:
    """The stretches of a tenant's chain that hold the signed rows about these subjects, in order."""
    wanted = set(
        AuditSeal.objects.filter(tenant=tenant, row__tenant=tenant, row__subject__in=subjects)
        .order_by("position")
        .values_list("position", flat=True)[:MOST_ROWS]
    )
    return list(_stretches(tenant, wanted))


def _stretches(tenant: Tenant, wanted: set[int]) -> Iterator[dict[str, Json]]:
    covered = 0
    for position in sorted(wanted):
        if position <= covered:
            continue
        head = heads.first_from(tenant, position)
        if head is None or head.position - position > MOST_LINKS:
            continue
        covered = head.position
        yield _stretch(tenant, position, head, wanted)


def _stretch(tenant: Tenant, first: int, head: AuditHead, wanted: set[int]) -> dict[str, Json]:
    between = AuditSeal.objects.filter(
        tenant=tenant, position__gte=first, position__lte=head.position
    )
    links = list(between.select_related("row").order_by("position"))
    previous = bytes(links[0].previous) if links else GENESIS
    return {
        "after": {"position": first - 1, "digest": previous.hex()},
        "links": [_link(each, whole=each.position in wanted) for each in links],
        "head": head_json(head, heads.installation_id()),
    }


def _link(seal: AuditSeal, *, whole: bool) -> dict[str, Json]:
    """Rows about other things are shown by digest only."""
    link = sealed(seal, whole=whole)
    shown = {
        "position": link.position,
        "content": link.content.hex(),
        "digest": link.digest.hex(),
    }
    return shown | ({"row": dict(link.row)} if link.row is not None else {})
