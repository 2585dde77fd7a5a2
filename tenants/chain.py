"""The audit trail as it is proved: each tenant's rows linked into a hash chain, and re-read."""

from collections.abc import Iterable, Iterator
from typing import Final

from django.db import connection, transaction

from tenants.audit import close_windows
from tenants.models import AuditRow, AuditSeal, AuditUnsealed, Tenant
from tenants.signing import Believed
from tenants.trail import heads
from tenants.trail.rows import as_json, sealed
from tenants.trail.seals import GENESIS, Link, Problem, Sealed, content_digest, link_digest
from tenants.trail.verifying import Report, verify

__all__ = ["GENESIS", "Link", "Problem", "Report", "links_of", "seal", "verify_chain"]

SEALER_LOCK: Final = 0x6B65_6467_0001  # any number no other advisory lock of ours uses
CHUNK: Final = 2000

# The chain waits for a signature from its first unsigned row on. Arbiter: the unique constraint
# a_chain_waits_for_its_signature_once (nulls not distinct).
WAITS = """
INSERT INTO tenants_auditunsigned AS known (tenant_id, rows) VALUES (%s, %s)
ON CONFLICT (tenant_id) DO UPDATE SET rows = known.rows + EXCLUDED.rows
"""


def seal(limit: int = 1000) -> int:
    """Link up to `limit` unsealed rows, of every tenant and the installation; returns how many.

    The chain's order is the order of sealing, not of `audit_id`: a transaction that commits late
    may bring a smaller number, and is linked when it is seen. Returns 0 while another sealer works.
    """
    close_windows()
    with transaction.atomic(durable=True):
        if not _only_sealer():
            return 0
        unsealed = AuditUnsealed.objects.select_related("row").order_by("row_id")[:limit]
        rows = [waiting.row for waiting in unsealed]
        links = list(_linked(rows))
        AuditSeal.objects.bulk_create(links)
        AuditUnsealed.objects.filter(pk__in=[row.pk for row in rows]).delete()
        _wait_for_signature(links)
    return len(rows)


def verify_chain(tenant: Tenant | None, believed: Believed | None = None) -> Report:
    """Re-read a tenant's whole chain (None: the installation's) and say all that is wrong with it.

    `believed` None: this installation's keys.

    Finds changed, moved, exchanged and missing links, rows that will never be sealed, and, by the
    signed heads, an end cut off and a chain that was computed anew.
    """
    whose = (heads.installation_id(), tenant.pk if tenant else None)
    keys = believed or heads.believed()
    report = verify(links_of(tenant), heads.of(tenant), keys, whose=whose)
    report.problems += _foreign(tenant)
    lost = AuditRow.objects.filter(tenant=tenant, auditseal=None, auditunsealed=None)
    report.problems += [
        Problem(None, row.audit_id, f"Row {row.audit_id} is neither sealed nor waiting for it.")
        for row in lost.order_by("audit_id")
    ]
    return report


def links_of(tenant: Tenant | None, *, after: int = 0) -> Iterator[Sealed]:
    """The links of a chain with their rows, in order, from the position behind `after` on."""
    seals = AuditSeal.objects.filter(tenant=tenant, position__gt=after).select_related("row")
    return (sealed(each) for each in seals.order_by("position").iterator(chunk_size=CHUNK))


def _foreign(tenant: Tenant | None) -> list[Problem]:
    """A link whose row was given to another tenant; the row's own digest says so too."""
    whose = tenant.pk if tenant else None
    seals = AuditSeal.objects.filter(tenant=tenant).select_related("row")
    moved = seals.exclude(row__tenant=whose) if whose else seals.exclude(row__tenant=None)
    return [
        Problem(
            each.position,
            each.row_id,
            f"Row {each.row_id} at position {each.position} is another tenant's.",
        )
        for each in moved.order_by("position")[:CHUNK]
    ]


def _only_sealer() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [SEALER_LOCK])
        return bool(cursor.fetchone()[0])


def _linked(rows: Iterable[AuditRow]) -> Iterator[AuditSeal]:
    ends: dict[int | None, Link] = {}
    for row in rows:
        if row.tenant_id not in ends:
            ends[row.tenant_id] = heads.end_of(row.tenant_id)
        previous = ends[row.tenant_id]
        position, content = previous.position + 1, content_digest(as_json(row))
        digest = link_digest(position, previous.digest, content)
        ends[row.tenant_id] = Link(position, digest)
        yield AuditSeal(
            row=row,
            tenant_id=row.tenant_id,
            position=position,
            previous=previous.digest,
            content=content,
            digest=digest,
        )


def _wait_for_signature(links: Iterable[AuditSeal]) -> None:
    grown: dict[int | None, int] = {}
    for link in links:
        grown[link.tenant_id] = grown.get(link.tenant_id, 0) + 1
    with connection.cursor() as cursor:
        for tenant_id in sorted(grown, key=lambda each: each or 0):
            cursor.execute(WAITS, [tenant_id, grown[tenant_id]])
