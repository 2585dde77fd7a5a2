"""Ed25519: the one key that signs for this installation, and the keys that are believed. Pure."""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from canonical import json as canonical

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


class BadKey(ValueError):
    """This is no Ed25519 key: 32 bytes in base64."""


@dataclass(frozen=True)
class PublicKey:
    """Who may be believed. `text` is its 32 bytes in base64, `id` 16 hex digits to call it by."""

    text: str

    @classmethod
    def of(cls, text: str) -> "PublicKey":
        """Read a key from base64. Raises BadKey."""
        return cls(base64.b64encode(_key_bytes(text)).decode())

    @property
    def id(self) -> str:
        return hashlib.sha256(b"kedge:public-key:v1\x00" + _key_bytes(self.text)).hexdigest()[:16]

    def made(self, signature: str, domain: str, value: object) -> bool:
        """Whether this key signed exactly this JSON value as this kind of thing."""
        try:
            raw = base64.b64decode(signature, validate=True)
            Ed25519PublicKey.from_public_bytes(_key_bytes(self.text)).verify(
                raw, _message(domain, value)
            )
        except (InvalidSignature, binascii.Error, ValueError):
            return False
        # One signature, one text: base64 has padding bits that decode to the same bytes.
        return base64.b64encode(raw).decode() == signature


@dataclass(frozen=True)
class SigningKey:
    """The secret half; never shown. `seed` is 32 bytes."""

    seed: bytes = field(repr=False)

    @classmethod
    def of(cls, text: str) -> "SigningKey":
        """Read a key from the base64 of its seed. Raises BadKey."""
        return cls(_key_bytes(text))

    @property
    def public(self) -> PublicKey:
        raw = Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()
        return PublicKey(base64.b64encode(raw).decode())

    def sign(self, domain: str, value: object) -> str:
        """The signature of a JSON value as one kind of thing, in base64. Raises CanonicalError."""
        signer = Ed25519PrivateKey.from_private_bytes(self.seed)
        return base64.b64encode(signer.sign(_message(domain, value))).decode()


@dataclass(frozen=True)
class Believed:
    """The public keys a reader trusts, by id: told to them, never taken from what is verified."""

    keys: Mapping[str, PublicKey]

    @classmethod
    def of(cls, keys: Iterable[PublicKey]) -> "Believed":
        return cls({key.id: key for key in keys})

    def trouble(self, signed: Mapping[str, Any], domain: str, value: object) -> str:
        """Why `{"key": id, "signature": base64}` is not believed; "" when it is."""
        key = self.keys.get(str(signed.get("key")))
        if key is None:
            return f"is signed by the key {signed.get('key')}, which you have not named as believed"
        if not key.made(str(signed.get("signature")), domain, value):
            return f"is not what the key {key.id} signed"
        return ""


def _message(domain: str, value: object) -> bytes:
    # The domain ends at NUL, which no domain of ours contains: one message, one meaning.
    return b"kedge:signed:" + domain.encode() + b"\x00" + canonical.dumps(value)


def _key_bytes(text: str) -> bytes:
    try:
        raw = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadKey(f"A key is {KEY_BYTES} bytes in base64, and this is not base64.") from error
    if len(raw) != KEY_BYTES:
        raise BadKey(f"A key is {KEY_BYTES} bytes in base64, and this is {len(raw)} bytes.")
    return raw
