"""What somebody asks to be run, and the run that it would be: checked before anything is stored."""

from dataclasses import dataclass
from typing import Any

import jsonschema

from canonical import digests
from canonical import json as canonical
from checkpoints import schemas
from checkpoints.errors import InputRefusedError
from checkpoints.ids import uuid7
from checkpoints.models import Combo, Run
from checkpoints.registry import graph_of
from tenants.actors import Actor
from tenants.keys import vaults
from tenants.keys.errors import EncryptionRefusedError
from tenants.keys.vaults import Vault
from tenants.models import Tenant

INPUT_LIMIT_BYTES = 256 * 1024
LONGEST_KEY = 200


@dataclass(frozen=True)
class Request:
    """What somebody asks to be run. `input` is a JSON object or its text.

    A canary of a new combo takes those first that are not `critical`. One that is `pinned_to` a
    combo gets that, whatever its tenant's route says: for demos and drills, never from a form.
    """

    task_type: str
    business_key: str
    input: dict[str, Any] | bytes | str
    channel: str
    on_behalf_of: str = ""
    critical: bool = True
    pinned_to: Combo | None = None


@dataclass(frozen=True)
class Checked:
    """A request that can be a run of its tenant; `content` is its input as it is kept."""

    tenant: Tenant
    request: Request
    key: str
    content: bytes
    on_behalf_of: str


def checked(tenant: Tenant, request: Request) -> Checked:
    """The request as it would be kept. Raises `UnknownTaskTypeError`, `InputRefusedError`."""
    graph = graph_of(request.task_type)
    vault = vaults.vault_of(tenant.pk)
    content = _checked_input(request, graph.manifest.input_schema, vault)
    key = request.business_key.strip()
    if not key or len(key) > LONGEST_KEY:
        raise InputRefusedError(f"the business key must have 1 to {LONGEST_KEY} characters")
    if vault.known.finds(key):
        raise InputRefusedError("the business key holds something that the input marks sensitive")
    on_behalf_of = str(vault.known.text(request.on_behalf_of))
    return Checked(tenant, request, key, content, on_behalf_of)


def run_of(given: Checked, combo: Combo, actor: Actor) -> Run:
    """The run that is asked for, of this combo, not stored yet."""
    request, run_id = given.request, uuid7()
    return Run(
        id=run_id,
        effect_scope=run_id,
        tenant=given.tenant,
        task_type=request.task_type,
        combo=combo,
        business_key=given.key,
        input=given.content,
        input_digest=bytes.fromhex(digests.sha256_hex(given.content)),
        next_node=graph_of(request.task_type).start,
        sentence="Waiting for a worker.",
        started_by_id=actor.user_id,
        caller=actor.name,
        on_behalf_of=given.on_behalf_of,
        channel=request.channel,
        critical=request.critical,
    )


def _checked_input(request: Request, schema: Any, vault: Vault) -> bytes:
    try:
        given = request.input
        value = canonical.loads(given) if isinstance(given, bytes | str) else given
        content, value = canonical.normal(value, limit=INPUT_LIMIT_BYTES)
        schemas.check(value, schema)
        return vault.encrypted_bytes(content, schema)
    except EncryptionRefusedError as error:
        raise InputRefusedError(f"the input cannot be kept: {error}") from error
    except canonical.CanonicalError as error:
        raise InputRefusedError(f"the input is not strict JSON: {error}") from error
    except jsonschema.ValidationError as error:
        where = "/" + "/".join(str(part) for part in error.absolute_path)
        raise InputRefusedError(f"the input does not fit at {where}: {error.message}") from error
