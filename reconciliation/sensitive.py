"""What a tool is handed in the clear, and what of its answer may be kept: encrypted, with marks.

Everything here leaves bytes without anything sensitive exactly as they are.
"""

import logging
from dataclasses import dataclass, replace
from typing import Any

from canonical import digests, redaction, sensitivity
from canonical import json as canonical
from checkpoints.registry import agents
from reconciliation.models import Action
from reconciliation.tools import DryRun, Found, Refused, Sent, Tool
from tenants.keys import vaults
from tenants.keys.errors import EncryptionRefusedError
from tenants.keys.vaults import Vault

log = logging.getLogger(__name__)

Json = Any
JSON_MEDIA = "application/json"


@dataclass(frozen=True)
class Unknown:
    """The call ended without an answer that counts; `said` is what came instead.

    `retry_after`: how many seconds the tool asked to be left alone; 0 when it did not.
    """

    said: str
    retry_after: float = 0.0


def make_ready(action: Action) -> None:
    """Open the key by which an answer is kept, before anything is sent (rule 16).

    Afterwards PostgreSQL may be away, and an answer that cannot be encrypted is one thrown away.
    Raises `KeyRingError`.
    """
    if sensitivity.declares(agents().TOOLS[action.tool].receipt_schema):
        _vault(action).make_ready()


def parameters(action: Action) -> bytes:
    """The canonical bytes to be sent: those that were approved, decrypted.

    Raises `ErasedError`, `KeyRingError`, `KeysError`.
    """
    return _vault(action).decrypted_bytes(bytes(action.parameters))


def frozen(tool: Tool, content: bytes, vault: Vault) -> bytes:
    """The bytes of proposed parameters as they are stored, digested and approved."""
    return vault.encrypted_bytes(content, tool.parameters_schema)


def receipt(action: Action, content: bytes) -> bytes:
    """A tool's receipt as it is kept; one that cannot be encrypted by field is kept with marks."""
    vault, tool = _vault(action), agents().TOOLS[action.tool]
    try:
        value = canonical.loads(content)
    except canonical.CanonicalError:
        return vault.known.content(content)
    if redaction.ENVELOPE in canonical.dumps(value):
        # It could be taken for ours: encrypted whole, it is opened whole and no further.
        return canonical.dumps(vault.encrypted_whole(value))
    try:
        encrypted = vault.encrypted(value, tool.receipt_schema)
    except EncryptionRefusedError as error:
        # A receipt that was thrown away would be an unknown outcome: what it hides is lost instead.
        log.warning("a receipt is kept with marks only: %s", error)
        encrypted = vault.masked(value, tool.receipt_schema)
    return content if encrypted == value else canonical.dumps(encrypted)


def heard(action: Action, content: bytes) -> Json:
    """The value of a kept receipt. Raises `CanonicalError` when it is no JSON, and `KeysError`s."""
    return _vault(action).decrypted(canonical.loads(content))


def wire_digest(action: Action, digest: str) -> str:
    """The digest of what left, as it may be kept.

    A plain digest of something short and secret can be guessed at. So where parameters are
    encrypted, what left exactly as approved is written as the digest that was approved, anything
    else as a keyed fingerprint.
    """
    stored = bytes(action.parameters)
    if redaction.ENVELOPE not in stored:
        return digest
    if digest == digests.sha256_hex(parameters(action)):
        return digests.sha256_hex(stored)
    return _vault(action).fingerprint(digest) * 2


def kept(action: Action, answer: Sent | Refused | Unknown) -> Sent | Refused | Unknown:
    """An answer without anything sensitive, of the same kind."""
    if isinstance(answer, Sent):
        return Sent(receipt(action, answer.receipt), wire_digest(action, answer.wire_digest))
    known = _vault(action).known
    if isinstance(answer, Refused):
        return Refused(str(known.text(str(answer))))
    return replace(answer, said=str(known.text(answer.said)))


def found(action: Action, answer: Found) -> Found:
    """The answer to a look-up without anything sensitive."""
    return replace(answer, receipt=receipt(action, answer.receipt))


def shown(dry: DryRun, vault: Vault) -> DryRun:
    """A dry run with marks for every known value, in whatever spelling it has there."""
    if not vault.known:
        return dry
    return replace(
        dry,
        diff=_diff(dry, vault),
        resources={
            str(vault.known.text(name)): str(vault.known.text(version))
            for name, version in dry.resources.items()
        },
        summary=tuple(str(vault.known.text(line)) for line in dry.summary),
    )


def _diff(dry: DryRun, vault: Vault) -> bytes:
    if dry.media == JSON_MEDIA:
        try:
            return canonical.dumps(vault.known.json(canonical.loads(dry.diff)).value)
        except canonical.CanonicalError:
            pass
    return vault.known.content(dry.diff)


def _vault(action: Action) -> Vault:
    return vaults.vault_of(action.tenant_id)
