"""Audit rows and signed heads as JSON: one form for sealing, exports and evidence."""

from datetime import UTC, datetime
from typing import Any

from tenants.models import AuditHead, AuditRow, AuditSeal
from tenants.trail.seals import Sealed, sealable

Json = Any


def as_json(row: AuditRow) -> dict[str, Json]:
    """A row as it is sealed."""
    return {
        "audit_id": row.audit_id,
        "tenant": row.tenant_id,
        "at": instant(row.at),
        "actor": [row.actor_kind, row.actor_id, row.actor_name],
        "verb": row.verb,
        "subject": row.subject,
        "detail": sealable(row.detail),
    }


def sealed(seal: AuditSeal, *, whole: bool = True) -> Sealed:
    """A stored link; `whole` False leaves its row out where the link does not need it."""
    content = bytes(seal.content)
    return Sealed(
        position=seal.position,
        previous=bytes(seal.previous),
        digest=bytes(seal.digest),
        content=content,
        row=as_json(seal.row) if whole or not content else None,
    )


def head_json(head: AuditHead, installation: str) -> dict[str, Json]:
    """A stored signed head as it was signed."""
    return {
        "installation": installation,
        "tenant": head.tenant_id,
        "position": head.position,
        "digest": bytes(head.digest).hex(),
        "at": instant(head.at),
        "key": head.key,
        "signature": head.signature,
    }


def instant(at: datetime) -> str:
    """A time in UTC with microseconds, which is what PostgreSQL keeps."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def instant_or_none(at: datetime | None) -> str | None:
    """The same of what may not have come yet."""
    return instant(at) if at else None
