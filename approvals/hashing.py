"""The action hash: one digest of everything an approval is bound to. Pure.

One field that moves changes the hash, so an approval never fits another effect, another version
of the resource it touches, or another diff than the one that was shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Final

from canonical import digests
from canonical import json as canonical

Json = Any

TAG: Final = "action-hash"
TEXT_MEDIA: Final = ("text/x-diff", "text/plain")


@dataclass(frozen=True)
class Bound:
    """What an approval is bound to.

    `resources` maps each thing the dry run looked at to its version; absence is the version "".
    `volatile` names the members of the diff that are not bound (see `diff_digest`),
    `volatile_version` that list.
    `nonce` and `expires_at` (ISO 8601, UTC, microseconds) are given when the question is asked and
    *stored*: whoever recomputes the hash uses the stored ones (`sealed`). Digests are hex.
    """

    tenant: int
    run_id: str
    action_id: str
    tool: str
    tool_schema_digest: str
    acting_credential: str
    parameters_digest: str
    rules_version: str
    resources: Mapping[str, str]
    diff_digest: str
    volatile: tuple[str, ...]
    volatile_version: str
    nonce: str = ""
    expires_at: str = ""

    def sealed(self, *, nonce: str, expires_at: datetime) -> "Bound":
        """The same content bound to one question."""
        return replace(self, nonce=nonce, expires_at=timestamp(expires_at))

    def content(self) -> "Bound":
        """What the question is about, without which question it was."""
        return replace(self, nonce="", expires_at="")


@dataclass(frozen=True)
class Difference:
    """One field that moved: what the page showed and what is true now, as text.

    The version "" of a resource is absence; None is a resource that was not looked at.
    """

    field: str
    saw: str | None
    now: str | None


def bound_bytes(bound: Bound) -> bytes:
    """Canonical JSON of all fields."""
    return canonical.dumps(_as_json(bound))


def from_bytes(content: bytes) -> Bound:
    """The inverse of `bound_bytes`. Raises ValueError for anything else."""
    members: Json = canonical.loads(content)
    if not isinstance(members, dict) or set(members) != {field.name for field in fields(Bound)}:
        raise ValueError("these are not the fields of an action hash")
    members["volatile"] = tuple(members["volatile"])
    bound = Bound(**members)
    if bound_bytes(bound) != content:
        raise ValueError("not in canonical form")
    return bound


def action_hash(bound: Bound) -> str:
    """SHA-256 (hex) under its own domain tag. Raises ValueError for content that is not sealed."""
    if not bound.nonce or not bound.expires_at:
        raise ValueError("an action hash needs the nonce and the expiry of its question")
    return digests.tagged(TAG, _as_json(bound))


def diff_digest(diff: bytes, media: str, volatile: Sequence[str]) -> str:
    """Digest (hex) of a diff as shown, without the members its tool declares volatile.

    A volatile member is the name of one of the object itself, or a path "/items/*/request_id" to
    one further down, where * is every item of a list. Only a JSON object has members; volatile
    members of text cannot be told apart: ValueError.
    """
    if not volatile:
        return digests.sha256_hex(diff)
    if media in TEXT_MEDIA or not diff.lstrip().startswith(b"{"):
        raise ValueError("only a diff that is a JSON object can have volatile members")
    kept: Json = canonical.loads(diff)
    for path in volatile:
        _drop(kept, path.removeprefix("/").split("/") if path.startswith("/") else [path])
    return digests.sha256_hex(canonical.dumps(kept))


def differences(saw: Bound, now: Bound) -> list[Difference]:
    """What moved, field by field; each resource is a field of its own."""
    before, after = _flat(saw), _flat(now)
    return [
        Difference(field, before.get(field), after.get(field))
        for field in sorted(before.keys() | after.keys())
        if before.get(field) != after.get(field)
    ]


def timestamp(at: datetime) -> str:
    """ISO 8601 in UTC, always with microseconds. Raises ValueError for a naive time."""
    if at.tzinfo is None:
        raise ValueError("a time without a zone is no time")
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _as_json(bound: Bound) -> dict[str, Json]:
    members = {field.name: getattr(bound, field.name) for field in fields(bound)}
    return members | {"volatile": list(bound.volatile), "resources": dict(bound.resources)}


def _flat(bound: Bound) -> dict[str, str]:
    flat = {name: str(value) for name, value in _as_json(bound).items() if name != "resources"}
    flat["volatile"] = ", ".join(bound.volatile)
    return flat | {f"resources.{name}": version for name, version in bound.resources.items()}


def _drop(value: Json, path: list[str]) -> None:
    """Take one volatile member out, in place; where there is none, nothing."""
    name, rest = path[0], path[1:]
    if name == "*" and isinstance(value, list):
        for item in value if rest else []:
            _drop(item, rest)
    elif isinstance(value, dict) and name in value:
        if rest:
            _drop(value[name], rest)
        else:
            del value[name]
