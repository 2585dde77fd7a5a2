"""The key ring of the installation: wraps and unwraps data keys. Knows no database and no Django.

Written as `id:base64,id:base64`, newest first. The newest wraps; the others only unwrap what they
wrapped, until a rotation has wrapped it anew.
"""

import base64
import binascii
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tenants.keys.errors import KeyRingError

KEY_BYTES = 32
NONCE_BYTES = 12
MAKE_ONE = (
    "python -c 'import base64, secrets; print(base64.b64encode(secrets.token_bytes(32)).decode())'"
)

_ID = re.compile(r"[A-Za-z0-9._-]{1,40}")


@dataclass(frozen=True)
class Ring:
    """The keys by id; `newest` is the id of the one that wraps."""

    newest: str
    keys: Mapping[str, bytes] = field(repr=False)

    def wrap(self, secret: bytes, *, about: bytes) -> bytes:
        """Encrypt a data key under the newest key; `about` says which one it is."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + AESGCM(self.keys[self.newest]).encrypt(nonce, secret, about)

    def unwrap(self, key_id: str, wrapped: bytes, *, about: bytes) -> bytes:
        """The data key. Raises `KeyRingError` naming the key of the ring and the next step."""
        key = self.keys.get(key_id)
        if key is None:
            raise KeyRingError(
                f"KEDGE_KEYS has no key {key_id!r}, which is needed to read what was encrypted "
                f"under it. Add it again behind {self.newest!r}, restart, and run: manage.py keys "
                "rotate. Nothing was lost or changed."
            )
        try:
            return AESGCM(key).decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], about)
        except InvalidTag:
            raise KeyRingError(
                f"The key {key_id!r} in KEDGE_KEYS is not the one of that name that was used "
                "before: what it wrapped does not open. Put the earlier key back under this id, "
                "restart, and run: manage.py keys check. Nothing was lost or changed."
            ) from None


def parsed(text: str) -> Ring:
    """Read a key ring. Raises `KeyRingError`, which never quotes a key."""
    keys: dict[str, bytes] = {}
    for number, entry in enumerate(text.split(","), start=1):
        key_id, _, encoded = entry.strip().partition(":")
        if not _ID.fullmatch(key_id) or key_id in keys:
            raise KeyRingError(
                f"Entry {number} of KEDGE_KEYS has no id of its own. Write id:base64, with commas, "
                "newest first; an id has letters, digits, '.', '_' and '-'."
            )
        try:
            key = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            key = b""
        if len(key) != KEY_BYTES or len(set(key)) < KEY_BYTES // 4:
            raise KeyRingError(
                f"The key {key_id!r} in KEDGE_KEYS is not {KEY_BYTES} random bytes in base64. "
                f"Make one with: {MAKE_ONE}"
            )
        keys[key_id] = key
    return Ring(next(iter(keys)), keys)
