"""Key rings for tests."""

import base64
from hashlib import sha256

OLD = sha256(b"an older key, for tests only").digest()
NEW = sha256(b"a newer key, for tests only").digest()


def entry(key_id: str, key: bytes) -> str:
    """One key as KEDGE_KEYS names it."""
    return f"{key_id}:{base64.b64encode(key).decode()}"
