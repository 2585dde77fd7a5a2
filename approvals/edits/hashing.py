"""The edit hash: one digest of everything the approval of a state written by hand is bound to. Pure.

One field that moves changes the hash: another head, another parent, another byte of the state or
of what was shown, another author.
"""

from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Final

from approvals.hashing import Difference, timestamp
from canonical import digests
from canonical import json as canonical

Json = Any

TAG: Final = "state-edit"


@dataclass(frozen=True)
class Bound:
    """What the approval of an edit is bound to. Digests are hex; that of checkpoint 0 is the genesis.

    `fence`, `head_seq` and `head_digest` say where the run stood; `parent_seq` and `parent_digest`
    which checkpoint the new one follows; `was_*` what that checkpoint says, the others what is to
    be. `diff_digest` is of what is shown; `nonce` and `expires_at` are given when it is asked.
    """

    kind: str
    tenant: int
    run_id: str
    case_id: str
    author: int
    reason: str
    combo: str
    fence: int
    head_seq: int
    head_digest: str
    parent_seq: int
    parent_digest: str
    was_schema: int
    was_next_node: str
    was_state: str
    schema: int
    next_node: str
    state: str
    diff_digest: str
    nonce: str = ""
    expires_at: str = ""

    def sealed(self, *, nonce: str, expires_at: datetime) -> "Bound":
        """The same content bound to one question."""
        return replace(self, nonce=nonce, expires_at=timestamp(expires_at))


def bound_bytes(bound: Bound) -> bytes:
    """Canonical JSON of all fields."""
    return canonical.dumps(_as_json(bound))


def from_bytes(content: bytes) -> Bound:
    """The inverse of `bound_bytes`. Raises ValueError for anything else."""
    members: Json = canonical.loads(content)
    if not isinstance(members, dict) or set(members) != {field.name for field in fields(Bound)}:
        raise ValueError("these are not the fields of an edit hash")
    bound = Bound(**members)
    if bound_bytes(bound) != content:
        raise ValueError("not in canonical form")
    return bound


def edit_hash(bound: Bound) -> str:
    """SHA-256 (hex) under its own domain tag. Raises ValueError for content that is not sealed."""
    if not bound.nonce or not bound.expires_at:
        raise ValueError("an edit hash needs the nonce and the expiry of its question")
    return digests.tagged(TAG, _as_json(bound))


def differences(saw: Bound, now: Bound) -> list[Difference]:
    """What moved, field by field."""
    before, after = _as_json(saw), _as_json(now)
    return [
        Difference(name, str(before[name]), str(after[name]))
        for name in sorted(before)
        if before[name] != after[name]
    ]


def _as_json(bound: Bound) -> dict[str, Json]:
    return {field.name: getattr(bound, field.name) for field in fields(bound)}
