"""Signed heads: the end of every chain that grew, signed, here and in a file outside PostgreSQL."""

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now

from tenants.errors import HeadsNotKept
from tenants.models import AuditHead, AuditSeal, AuditUnsigned, Installation, Tenant
from tenants.signing import Believed, PublicKey, SigningKey
from tenants.trail.rows import head_json, instant
from tenants.trail.seals import Link, head_value, signed_head

AFTER: Final = timedelta(seconds=5)
EVERY: Final = 200  # rows; sooner than `AFTER`, so that few links lie between a row and a head
MOST_AT_ONCE: Final = 500

Json = Any


def sign_due(*, after: timedelta = AFTER) -> int:
    """Sign the end of each chain that grew by enough or long enough ago; returns how many.

    Raises HeadsNotKept when the file cannot be written: then nothing is signed in PostgreSQL either.
    """
    due = Q(rows__gte=EVERY) | Q(since__lte=Now() - after)
    with transaction.atomic():
        waiting = list(
            AuditUnsigned.objects.select_for_update(skip_locked=True)
            .filter(due)
            .order_by("since")[:MOST_AT_ONCE]
        )
        heads = [_head(each.tenant_id) for each in waiting]
        AuditHead.objects.bulk_create(heads)
        AuditUnsigned.objects.filter(pk__in=[each.pk for each in waiting]).delete()
        _keep_elsewhere(heads)
    return len(heads)


def of(tenant: Tenant | None) -> list[dict[str, Json]]:
    """All signed heads of a chain: those in PostgreSQL and those only the file outside still has."""
    stored = AuditHead.objects.filter(tenant=tenant).order_by("position")
    here = [head_json(head, installation_id()) for head in stored.iterator()]
    known = {head["signature"] for head in here}
    tenant_id = tenant.pk if tenant else None
    elsewhere = [head for head in kept_elsewhere() if head.get("tenant") == tenant_id]
    return here + [head for head in elsewhere if head["signature"] not in known]


def first_from(tenant: Tenant | None, position: int) -> AuditHead | None:
    """The signed head that covers a position with the fewest links after it."""
    found = AuditHead.objects.filter(tenant=tenant, position__gte=position)
    return found.order_by("position").first()


def believed() -> Believed:
    """The public keys this installation believes: its own, and those it had before."""
    older = [PublicKey.of(text) for text in settings.KEDGE_OLDER_PUBLIC_KEYS]
    return Believed.of([signing_key().public, *older])


def signing_key() -> SigningKey:
    """The key of this installation."""
    return SigningKey.of(settings.KEDGE_SIGNING_KEY)


def installation_id() -> str:
    """The name of this installation in what it signs."""
    return str(Installation.objects.get_or_create(only=True)[0].installation_id)


def path() -> Path:
    """The file of signed heads, beside the journal of effects."""
    return Path(settings.KEDGE_JOURNAL_DIR) / "heads.jsonl"


def kept_elsewhere() -> Iterator[dict[str, Json]]:
    """The heads in the file, oldest first. A torn line was never acted on."""
    if not path().exists():
        return
    with path().open("rb") as file:
        for line in file:
            try:
                head = json.loads(line)
            except ValueError:
                continue
            if isinstance(head, dict) and {"position", "signature", "digest"} <= head.keys():
                yield head


def _head(tenant_id: int | None) -> AuditHead:
    end = end_of(tenant_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        at = cursor.fetchone()[0]
    value = head_value(installation_id(), tenant_id, end, instant(at))
    signed = signed_head(value, signing_key())
    return AuditHead(
        tenant_id=tenant_id,
        position=end.position,
        digest=end.digest,
        at=at,
        key=signed["key"],
        signature=signed["signature"],
    )


def end_of(tenant_id: int | None) -> Link:
    """Where a chain ends now."""
    last = AuditSeal.objects.filter(tenant=tenant_id).order_by("-position").first()
    return Link(last.position, bytes(last.digest)) if last else Link()


def _keep_elsewhere(heads: list[AuditHead]) -> None:
    """Synced before the commit: PostgreSQL never has a head that the file lacks."""
    if not heads:
        return
    installation = installation_id()
    lines = (json.dumps(head_json(head, installation), sort_keys=True) for head in heads)
    try:
        _append(path(), "".join(f"\n{line}" for line in lines).encode() + b"\n")
    except OSError as error:
        raise HeadsNotKept(path(), error.strerror or "") from error


def _append(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # O_APPEND and one write, so that lines of several sweepers do not mix; each begins a line of
    # its own, whatever a full disk has cut off before it.
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.write(handle, content) != len(content):
            raise OSError(28, "No space left on device")
        os.fsync(handle)
    finally:
        os.close(handle)
