"""The key ring from the environment; development makes one, production is told one."""

import base64
from hashlib import sha256
from pathlib import Path

from config import environment
from config.environment import Environment
from config.errors import GroundError
from tenants.keys import ring
from tenants.keys.errors import KeyRingError


def key_ring(env: Environment, var: Path, *, production: bool) -> str:
    """The keys that wrap all data keys, as `id:base64,…`, newest first. Raises GroundError.

    Development makes one, once, in `var`.
    """
    given = env.get("KEDGE_KEYS", "").strip()
    if not given and production:
        raise GroundError(
            "KEDGE_KEYS is not set. In production, set it to id:base64, the same for every process:"
            " an id of your choice and 32 random bytes that encrypt sensitive fields. Keep it"
            " outside the database and its backups; without it those fields are lost. Make a key"
            f" with: {ring.MAKE_ONE}"
        )
    text = given or _ring_of(environment._made_once(var / "keys"))
    try:
        ring.parsed(text)
    except KeyRingError as error:
        raise GroundError(str(error)) from None
    return text


def _ring_of(secret: str) -> str:
    return f"development:{base64.b64encode(sha256(secret.encode()).digest()).decode()}"
