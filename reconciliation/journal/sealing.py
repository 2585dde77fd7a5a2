"""What a line keeps of its effect so that it can be asked for and known again: sealed, never clear.

The parameters as the ledger keeps them, their sensitive fields encrypted by themselves, and the
place of the effect in its run; all of it under the key ring, of which the database knows nothing.
"""

import base64
import binascii
import json
from typing import Any, Final
from uuid import UUID

from reconciliation.models import Action
from tenants.keys import datakeys

MOST_PARAMETER_BYTES: Final = 32 * 1024


def sealed(action: Action, attempt_id: UUID) -> str:
    """Key id and ciphertext. Larger parameters are left out: then only a person can know."""
    parameters = bytes(action.parameters)
    kept: dict[str, Any] = {
        "node": action.node,
        "ordinal": action.ordinal,
        "generation": action.generation,
        "schema": action.tool_schema_digest,
        "describe": action.describe,
        "magnitude": action.magnitude,
        "task_type": action.run.task_type,
        "business_key": action.run.business_key,
    }
    if len(parameters) <= MOST_PARAMETER_BYTES:
        kept["parameters"] = parameters.decode()
    ring = datakeys.key_ring()
    wrapped = ring.wrap(json.dumps(kept).encode(), about=_about(attempt_id))
    return f"{ring.newest}:{base64.b64encode(wrapped).decode()}"


def opened(text: str, attempt_id: UUID) -> dict[str, Any]:
    """What was sealed. Raises `KeyRingError`, and ValueError for what nobody sealed."""
    key_id, _, encoded = text.partition(":")
    try:
        wrapped = base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError("nothing that was sealed") from error
    kept: dict[str, Any] = json.loads(
        datakeys.key_ring().unwrap(key_id, wrapped, about=_about(attempt_id))
    )
    return kept


def _about(attempt_id: UUID) -> bytes:
    return b"journal line\0" + attempt_id.bytes
