"""Revealing: one encrypted field, to one person, for a reason that stands in the audit trail."""

import json

from django.db import transaction

from canonical import redaction
from reconciliation.payloads.places import Place, document
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.keys.vaults import Vault
from tenants.models import Tenant, User

RIGHT = "read_payloads"


def reveal(tenant: Tenant, place: Place, path: str, *, user: User, reason: str) -> str:
    """The value of one encrypted field as text. No audit row, no value.

    Raises `Denied`, Http404 when nothing encrypted is stored there, `ErasedError`, `KeyRingError`,
    and ValueError without a reason.
    """
    if user.pk not in access.who_may(tenant.pk, RIGHT, [user.pk]):
        raise Denied(tenant.pk, RIGHT)
    if not reason.strip():
        raise ValueError("a value is revealed for a reason")
    envelope = document(tenant, place).envelope(path)
    with transaction.atomic():
        vault = Vault(tenant.pk)
        value = vault.decrypted(envelope)
        # Somebody may quote in the reason what they are about to see.
        told = {
            "path": vault.known.text(path),
            "shown": redaction.view(envelope),
            "reason": vault.known.text(reason.strip()),
        }
        audit.record(tenant, Actor.person(user), "reveal", hiding.text(str(place)), **told)
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False)
