"""What a declaration says, as the tool uses it. Made by `loading.load` only, which checks it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agents.tools.looking import Look
from agents.tools.saying import Says
from reconciliation.tools import Capabilities, Keyed

Json = Any

DONE: Final = "done"
REFUSED: Final = "refused"
FOUND: Final = "found"
ABSENT: Final = "absent"


@dataclass(frozen=True)
class Rule:
    """What an answer with one of these statuses, and these values in it, means."""

    statuses: frozenset[int]
    means: str
    where: Mapping[str, Json] = field(default_factory=dict)
    says: str = ""


@dataclass(frozen=True)
class Shape:
    """The template of a request. `body_kind` is "json", "form" or ""."""

    method: str
    path: str
    headers: Mapping[str, str]
    body_kind: str = ""
    body: Json = None


@dataclass(frozen=True)
class Credential:
    """How the tool signs its requests; the secret itself is in the environment only."""

    name: str
    variable: str
    header: str = "Authorization"
    scheme: str = "Bearer"
    check: Shape | None = None
    works: frozenset[int] = frozenset()
    invalid: frozenset[int] = frozenset()
    expires_variable: str = ""


@dataclass(frozen=True)
class Before:
    """How the object is read that the effect would change."""

    shape: Shape
    at: str
    absent: frozenset[int]
    version: str
    becomes: str
    body_at: str


@dataclass(frozen=True)
class LookUp:
    """How the effect of an action is found, and told from a tombstone."""

    shape: Shape
    rules: tuple[Rule, ...]
    at: str
    match: Mapping[str, str]
    void: Mapping[str, Json]
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Act:
    """A request that leaves something, and what its answers mean."""

    shape: Shape
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Field:
    """One thing that is kept of an answer."""

    at: str
    schema: Mapping[str, Json]


@dataclass(frozen=True)
class Limits:
    """Seconds and bytes, as in the tool contract."""

    budget_seconds: int = 20
    margin_seconds: int = 60
    largest_receipt_bytes: int = 4096
    patience_seconds: int | None = None


@dataclass(frozen=True)
class Declared:
    """One tool. `version` ends with the digest of its declaration."""

    name: str
    version: str
    url: str
    url_variable: str
    credential: Credential | None
    parameters: Mapping[str, Json]
    says: Says
    effect: Act
    receipt_at: str
    receipt: Mapping[str, Field]
    keyed: Keyed | None
    precondition: str
    before: Before | None
    look_up: LookUp | None
    void: Act | None
    limits: Limits
    volatile: tuple[str, ...]
    volatile_version: str
    looks: tuple[Look, ...]

    @property
    def capabilities(self) -> Capabilities:
        """What the tool can do after an unknown outcome: what is declared, and no more."""
        return Capabilities(
            void=self.void is not None, look_up=self.look_up is not None, keyed=self.keyed
        )
