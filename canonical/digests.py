"""SHA-256 digests that cannot be mistaken for each other: each kind of thing has its own tag."""

import hashlib
import re

from canonical.json import dumps

# What the first link of a chain names as the link before it.
GENESIS = "0" * 64

_TAG = re.compile(r"[a-z][a-z0-9_.-]*")
_HEX = re.compile(r"[0-9a-f]{64}")


def sha256_hex(data: bytes) -> str:
    """Return the plain SHA-256 of bytes, as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def tagged(tag: str, value: object) -> str:
    """Return the digest of a JSON value as one kind of thing ("header", "action"), in hex.

    Equal values under two tags have different digests, so no digest can be passed off as one of
    another kind. Raises `CanonicalError` for the value, `ValueError` for a tag that is not a
    lower-case word (letters, digits, "_", ".", "-").
    """
    if not _TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} is no tag: lower-case letters, digits, '_', '.' and '-'")
    return sha256_hex(b"kedge:" + tag.encode() + b":v1\x00" + dumps(value))


def chain(previous_hex: str, item: bytes) -> str:
    """Return the digest of a chain after one more item, in hex; the first follows `GENESIS`.

    Raises `ValueError` when `previous_hex` is not a digest of 64 lower-case hex digits.
    """
    if not _HEX.fullmatch(previous_hex):
        raise ValueError("the previous digest of a chain is not 64 lower-case hex digits")
    # The previous digest has a fixed length, so the boundary to the item is never in doubt.
    return sha256_hex(b"kedge-chain:v1\x00" + bytes.fromhex(previous_hex) + item)
