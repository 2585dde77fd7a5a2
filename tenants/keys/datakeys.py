"""Finding and making data keys: one per tenant, one per person of a tenant whom a field is about."""

import hmac
import os
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from django.conf import settings
from django.db import transaction

from tenants.keys import ring
from tenants.keys.errors import ErasedError
from tenants.keys.models import DataKey
from tenants.keys.ring import Ring

SECRET_BYTES = 32
TENANT = b""  # the `person` of a tenant's own key


@dataclass(frozen=True)
class Key:
    """An opened data key: one secret for each of its uses."""

    id: str
    tenant_id: int
    of_person: bool
    cipher: bytes = field(repr=False)
    fingerprints: bytes = field(repr=False)
    people: bytes = field(repr=False)

    def person(self, subject: str) -> bytes:
        """The keyed digest that stands for a person of this tenant; of the tenant's own key."""
        return hmac.new(self.people, subject.encode("utf-8", "surrogatepass"), sha256).digest()


def key_ring() -> Ring:
    """The installation's key ring."""
    return _parsed(settings.KEDGE_KEYS)


def live(tenant_id: int, person: bytes) -> Key:
    """The key that encrypts now; made when there is none. Raises `KeyRingError`."""
    row = _find(tenant_id, person)
    if row is None:
        DataKey.objects.bulk_create([_made(tenant_id, person)], ignore_conflicts=True)
        # In a second statement: the loser of a race would not find the winner's in its snapshot.
        row = _find(tenant_id, person)
        assert row is not None  # noqa: S101 - ours or the winner's
    return opened(row)


def by_id(tenant_id: int, key_id: str) -> Key:
    """The key that encrypted something. Raises `ErasedError`, `KeyRingError`, LookupError."""
    row = DataKey.objects.filter(pk=UUID(key_id), tenant_id=tenant_id).first()
    if row is None:
        raise LookupError(f"this tenant has no data key {key_id}")
    return opened(row)


def erased_of(tenant_id: int) -> frozenset[str]:
    """Ids of this tenant's destroyed keys: what they encrypted is shown as erased."""
    gone = DataKey.objects.filter(tenant_id=tenant_id, erased_at__isnull=False)
    return frozenset(str(pk) for pk in gone.values_list("pk", flat=True))


def opened(row: DataKey) -> Key:
    """The key of a row. Raises `ErasedError`, `KeyRingError`."""
    if row.wrapped is None:
        raise ErasedError(f"Key {row.pk} was destroyed {row.erased_at:%Y-%m-%d %H:%M} UTC.")
    secret = key_ring().unwrap(row.wrapped_by, bytes(row.wrapped), about=about(row))
    return Key(
        id=str(row.pk),
        tenant_id=row.tenant_id,
        of_person=bytes(row.person) != TENANT,
        cipher=_derived(secret, b"cipher", 64),
        fingerprints=_derived(secret, b"fingerprints", 32),
        people=_derived(secret, b"people", 32),
    )


def about(row: DataKey) -> bytes:
    """What a wrapped key is bound to: it opens only as this row's."""
    return b"kedge:data-key:v1:%d:%s:%s" % (
        row.tenant_id,
        str(row.pk).encode(),
        bytes(row.person).hex().encode(),
    )


def in_transaction() -> bool:
    """Whether a key made now could still vanish with a rollback."""
    return bool(transaction.get_connection().in_atomic_block)


def _find(tenant_id: int, person: bytes) -> DataKey | None:
    return DataKey.objects.filter(tenant_id=tenant_id, person=person, erased_at=None).first()


def _made(tenant_id: int, person: bytes) -> DataKey:
    keys, row = key_ring(), DataKey(tenant_id=tenant_id, person=person)
    row.wrapped = keys.wrap(os.urandom(SECRET_BYTES), about=about(row))
    row.wrapped_by = keys.newest
    return row


def _derived(secret: bytes, use: bytes, length: int) -> bytes:
    info = b"kedge:data-key:v1:" + use
    return HKDFExpand(algorithm=SHA256(), length=length, info=info).derive(secret)


@lru_cache(maxsize=4)
def _parsed(text: str) -> Ring:
    return ring.parsed(text)
