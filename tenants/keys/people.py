"""What people own here themselves, encrypted each under a key of theirs: second factors, webhooks.

The text kept names its key, so that it opens under no other: `form:key:base64(nonce, ciphertext)`.
"""

import base64
import os
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from tenants.keys import datakeys
from tenants.keys.errors import ErasedError, KeysError
from tenants.keys.models import PersonKey
from tenants.keys.ring import NONCE_BYTES

FORM: Final = "kedge-person-1"
PARTS: Final = 3
SECOND_FACTOR: Final = "second factor"
WEBHOOK: Final = "webhook"


def sealed(person_id: int, plain: str, *, use: str, model: type[PersonKey] = PersonKey) -> str:
    """A person's secret as it is kept; a key is made for who has none. Raises `KeyRingError`.

    `model` is for migrations, which have one of their own time.
    """
    row = _live(person_id, model)
    nonce = os.urandom(NONCE_BYTES)
    text = nonce + _cipher(row).encrypt(nonce, plain.encode(), _bound_to(row, use))
    return f"{FORM}:{row.pk}:{base64.urlsafe_b64encode(text).decode()}"


def opened(kept: str, *, use: str, model: type[PersonKey] = PersonKey) -> str:
    """The secret. Raises `ErasedError`, `KeyRingError`, and `KeysError` for what does not open."""
    _, key_id, encoded = kept.split(":") if is_sealed(kept) else ("", "", "")
    try:
        row = model.objects.get(pk=UUID(key_id))
        text = base64.urlsafe_b64decode(encoded)
        nonce, ciphertext = text[:NONCE_BYTES], text[NONCE_BYTES:]
        return _cipher(row).decrypt(nonce, ciphertext, _bound_to(row, use)).decode()
    except (InvalidTag, ValueError, model.DoesNotExist):
        raise KeysError(f"What was kept of a {use} does not open: it was changed since.") from None


def is_sealed(kept: str) -> bool:
    """Whether this is a text of `sealed`."""
    return kept.startswith(f"{FORM}:") and kept.count(":") == PARTS - 1


def about(row: PersonKey) -> bytes:
    """What a wrapped key is bound to: it opens only as this row's."""
    return b"kedge:person-key:v1:%d:%s" % (row.person_id, str(row.pk).encode())


def _live(person_id: int, model: type[PersonKey]) -> PersonKey:
    live = model.objects.filter(person_id=person_id, erased_at=None)
    row = live.first()
    if row is None:
        model.objects.bulk_create([_made(person_id, model)], ignore_conflicts=True)
        # In a second statement: the loser of a race would not find the winner's in its snapshot.
        row = live.get()
    return row


def _made(person_id: int, model: type[PersonKey]) -> PersonKey:
    keys, row = datakeys.key_ring(), model(person_id=person_id)
    row.wrapped = keys.wrap(os.urandom(datakeys.SECRET_BYTES), about=about(row))
    row.wrapped_by = keys.newest
    return row


def _cipher(row: PersonKey) -> AESGCM:
    if row.wrapped is None:
        raise ErasedError(f"Key {row.pk} was destroyed {row.erased_at:%Y-%m-%d %H:%M} UTC.")
    secret = datakeys.key_ring().unwrap(row.wrapped_by, bytes(row.wrapped), about=about(row))
    info = b"kedge:person-key:v1:cipher"
    return AESGCM(HKDFExpand(algorithm=SHA256(), length=32, info=info).derive(secret))


def _bound_to(row: PersonKey, use: str) -> bytes:
    return b"kedge:person:v1:%d:%s:%s" % (row.person_id, str(row.pk).encode(), use.encode())
