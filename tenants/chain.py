"""The audit trail as it is proved: each tenant's rows linked into a hash chain, and re-read."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256
from typing import Final

from django.db import connection, transaction

from canonical.errors import CanonicalError
from canonical.json import Json, dumps
from tenants.audit import close_windows
from tenants.models import AuditRow, AuditSeal, AuditUnsealed, Tenant

DOMAIN: Final = "kedge/audit-seal/1"
GENESIS: Final = bytes(32)
SEALER_LOCK: Final = 0x6B65_6467_0001  # any number no other advisory lock of ours uses
CHUNK: Final = 2000


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a tenant's chain: where, and one sentence."""

    position: int | None
    audit_id: int
    sentence: str


@dataclass(frozen=True)
class Link:
    """The end of a chain: the position of its last seal and its digest."""

    position: int = 0
    digest: bytes = GENESIS


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
        AuditSeal.objects.bulk_create(_linked(rows))
        AuditUnsealed.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def verify_chain(tenant: Tenant | None) -> list[Problem]:
    """Re-read a tenant's whole chain (None: the installation's) and say all that is wrong with it.

    Finds changed, moved, exchanged and missing links and rows that will never be sealed. A chain
    cut off at its end looks whole: compare its last digest with one kept elsewhere.
    """
    problems: list[Problem] = []
    end = Link()
    seals = AuditSeal.objects.filter(tenant=tenant).select_related("row").order_by("position")
    for seal_ in seals.iterator(chunk_size=CHUNK):
        problems += _problems_of(seal_, end)
        end = Link(seal_.position, bytes(seal_.digest))
    lost = AuditRow.objects.filter(tenant=tenant, auditseal=None, auditunsealed=None)
    problems += [
        Problem(None, row.audit_id, f"Row {row.audit_id} is neither sealed nor waiting for it.")
        for row in lost.order_by("audit_id")
    ]
    return problems


def _only_sealer() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [SEALER_LOCK])
        return bool(cursor.fetchone()[0])


def _linked(rows: Iterable[AuditRow]) -> Iterator[AuditSeal]:
    ends: dict[int | None, Link] = {}
    for row in rows:
        if row.tenant_id not in ends:
            ends[row.tenant_id] = _end_of(row.tenant_id)
        previous = ends[row.tenant_id]
        end = Link(previous.position + 1, _digest(row, previous))
        ends[row.tenant_id] = end
        yield AuditSeal(
            row=row,
            tenant_id=row.tenant_id,
            position=end.position,
            previous=previous.digest,
            digest=end.digest,
        )


def _end_of(tenant_id: int | None) -> Link:
    last = AuditSeal.objects.filter(tenant=tenant_id).order_by("-position").first()
    return Link(last.position, bytes(last.digest)) if last else Link()


def _problems_of(seal_: AuditSeal, before: Link) -> Iterator[Problem]:
    here, row = seal_.position, seal_.row
    if here != before.position + 1:
        yield Problem(here, row.pk, f"Position {before.position + 1} is missing before {here}.")
    if bytes(seal_.previous) != before.digest:
        yield Problem(here, row.pk, f"Position {here} does not follow on the one before it.")
    if row.tenant_id != seal_.tenant_id:
        yield Problem(here, row.pk, f"Row {row.pk} at position {here} is another tenant's.")
    if bytes(seal_.digest) != _digest(row, Link(here - 1, bytes(seal_.previous))):
        yield Problem(here, row.pk, f"Row {row.pk} at position {here} is not what was sealed.")


def _digest(row: AuditRow, previous: Link) -> bytes:
    return sha256(
        dumps(
            {
                "domain": DOMAIN,
                "position": previous.position + 1,
                "previous": previous.digest.hex(),
                "row": {
                    "audit_id": row.audit_id,
                    "tenant": row.tenant_id,
                    "at": row.at.astimezone(UTC).isoformat(timespec="microseconds"),
                    "actor": [row.actor_kind, row.actor_id, row.actor_name],
                    "verb": row.verb,
                    "subject": row.subject,
                    "detail": _sealable(row.detail),
                },
            }
        )
    ).digest()


def _sealable(detail: Json) -> Json:
    # A row inserted by hand may hold what our canonical form refuses; it must not stop the sealer
    # for everybody, so it is sealed by the digest of its text.
    try:
        dumps(detail)
    except CanonicalError:
        text = json.dumps(detail, sort_keys=True).encode()
        return {"not_canonical": sha256(text).hexdigest()}
    return detail
