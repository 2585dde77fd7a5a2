"""Writes evidence: one signed file about an effect or a run, which needs no database to be verified."""

import json
import time
from datetime import timedelta
from typing import Any, Final

from django.utils import timezone

from canonical import json as canonical
from reconciliation.errors import EvidenceNotReady
from reconciliation.evidence import numbers, snapshots, stretches
from reconciliation.evidence.bytestore import Bytes
from reconciliation.evidence.members import FORMAT, sign
from reconciliation.evidence.snapshots import About
from tenants import audit, chain
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import AuditRow, AuditSeal
from tenants.trail import heads
from tenants.trail.rows import instant

PATIENCE_SECONDS: Final = 5.0

Json = Any


def export(about: About, *, actor: Actor, whole: bool) -> bytes:
    """The evidence as a file. `whole` False leaves payloads out: only their digests are in it.

    The export is audited, and its own row is in the file. Raises `EvidenceNotReady` while the
    audit trail cannot be sealed and signed, and `DoesNotExist` for what is not the tenant's.
    """
    kept = Bytes(whole)
    record = snapshots.read(about, kept)
    # Written after the moment that was read: sealed rows come in order, so once this one is under a
    # signed head, so is everything the file tells of.
    subject = hiding.text(about.subject)
    row = audit.record(about.tenant, actor, "export_evidence", subject, payloads=whole)
    _wait_until_signed(row)
    document: dict[str, Json] = {
        "format": FORMAT,
        "about": {"kind": about.kind, "id": str(about.id)},
        "made": _made(row),
        "tenant": {"id": about.tenant.pk, "slug": about.tenant.slug, "name": about.tenant.name},
        **record,
        "trail": stretches.about(about.tenant, _subjects(record)),
    }
    document["numbers"] = numbers.of(document)
    document = canonical.loads_object(canonical.dumps(document))
    document |= {"contents": kept.contents, "signature": sign(document, heads.signing_key())}
    return json.dumps(document, sort_keys=True, ensure_ascii=False, indent=1).encode() + b"\n"


def _wait_until_signed(row: AuditRow) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        chain.seal()
        heads.sign_due(after=timedelta())
        place = AuditSeal.objects.filter(row=row).values_list("position", flat=True).first()
        if place is not None and heads.first_from(row.tenant, place) is not None:
            return
        time.sleep(0.05)  # another sealer is at it
    raise EvidenceNotReady(f"audit row {row.audit_id} is not under a signed head yet")


def _made(row: AuditRow) -> dict[str, Json]:
    return {
        "at": instant(timezone.now()),
        "by": [row.actor_kind, row.actor_id, row.actor_name],
        "audit_id": row.audit_id,
        "installation": heads.installation_id(),
        "public_key": heads.signing_key().public.text,
    }


def _subjects(record: dict[str, Json]) -> set[str]:
    """As the audit trail names what the evidence tells of."""
    found = {f"run {record['run']['id']}"} | {f"case {case['id']}" for case in record["cases"]}
    found |= {f"plan:{plan['id']}" for plan in record.get("plans", [])}
    for action in record["actions"]:
        found.add(f"action {action['id']}")
        for asked in action["requests"]:
            found |= {f"request:{asked['id']}", f"request {asked['id']}"}
    return found
