"""The tool contract: what a thing that changes the world must be able to say and do.

Everything the engine may claim about an effect follows from what its tool can do (`Capabilities`).
Real tools and fakes pass one contract suite, `tests/contract/`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = Any


class Refused(Exception):
    """The tool said no, and no earlier request of ours can be the reason.

    The only exception of `perform` that is not read as *unknown*. A failed precondition (412,
    stale lease, duplicate key) is never `Refused`: it may hide our own success.
    """


class CredentialInvalid(Exception):
    """The tool's credential does not work; nothing was sent. `tool`: which, when it is known."""

    def __init__(self, *said: object, tool: str = "") -> None:
        super().__init__(*said)
        self.tool = tool


class Unanswered(Exception):
    """The tool could not be asked what happened (gone, timed out, garbled); ask again later.

    `retry_after`: how many seconds it asked to be left alone, when it said so.
    """

    def __init__(self, *said: object, retry_after: float | None = None) -> None:
        super().__init__(*said)
        self.retry_after = retry_after


@dataclass(frozen=True)
class Keyed:
    """The tool remembers an idempotency key for `remembers_seconds` from its first sight of it."""

    remembers_seconds: int
    locks_in_flight: bool


@dataclass(frozen=True)
class Capabilities:
    """What the tool can do after an unknown outcome. All False: only a person can know."""

    void: bool = False
    look_up: bool = False
    keyed: Keyed | None = None


@dataclass(frozen=True)
class LookAgain:
    """How often the dry run of a waiting request is made anew, and how many of them at once."""

    every_seconds: int = 30
    at_once: int = 2


@dataclass(frozen=True)
class Magnitude:
    """How much an effect touches; what rules test. Money in integer minor units of `currency`."""

    amount: int = 0
    currency: str = ""
    recipients: int = 0
    lines: int = 0
    files: int = 0
    deletions: int = 0

    def as_json(self) -> dict[str, Json]:
        """Only what is not zero, for the record and the page."""
        return {name: value for name, value in self.__dict__.items() if value}


@dataclass(frozen=True)
class DryRun:
    """What an action would change, computed without changing it.

    `diff` is the text or JSON bytes shown to the approver, of `media` "text/x-diff",
    "application/json" or "text/plain". `resources` maps each thing looked at to its version
    (absence is the version ""). `summary` is one line per class of change.
    """

    diff: bytes
    media: str
    resources: Mapping[str, str]
    summary: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """One attempt of an action, as handed to the tool. `read_blob` gives the bytes of a reference.

    `key` is the idempotency key (hex): the same for all attempts of one effect.
    `budget_seconds` is what is left for this call; the tool must give up within it.
    """

    action_id: str
    attempt_id: str
    key: str
    tenant: str
    parameters: Mapping[str, Json]
    parameter_bytes: bytes
    budget_seconds: float
    read_blob: Callable[[Mapping[str, Json]], bytes]


@dataclass(frozen=True)
class Sent:
    """The tool's answer to `perform`: receipt as raw bytes, and the digest of what left."""

    receipt: bytes
    wire_digest: str


@dataclass(frozen=True)
class Found:
    """The effect of this action exists; `count` is how often. The receipt equals `perform`'s."""

    receipt: bytes
    count: int = 1


@dataclass(frozen=True)
class Absent:
    """The effect of this action is not there (now).

    `voided`: its place is taken by our tombstone, so it never will be. Not part of equality.
    """

    voided: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Voided:
    """The action's place is taken: from now on no late call of ours can succeed."""

    evidence: bytes


class CannotFollow(ValueError):
    """No run can follow this effect; the message says why."""


@dataclass(frozen=True)
class Followed:
    """An effect that happened: what the input of a run that follows it is made from.

    `input` is that of the run that did it. What is sensitive in `input`, `parameters` and `receipt`
    stands here in the clear and is encrypted again wherever it is put; what was erased has marks.
    `receipt` is None when there is only a person's word that it happened. `why` is the reason of
    the person who asks for it, `say` what they want said.
    """

    action_id: str
    tenant: str
    input: Mapping[str, Json]
    parameters: Mapping[str, Json]
    receipt: Json
    why: str
    say: str = ""


@dataclass(frozen=True)
class FollowUp:
    """A run of its own that follows an effect of a tool, with its own dry run and approval.

    `input_of` makes the input of a run of `task_type`; it raises `CannotFollow`. Declared by the
    agents of an installation, for each tool: `FOLLOW_UPS`.
    """

    task_type: str
    input_of: Callable[[Followed], dict[str, Json]]


class Compensation(FollowUp):
    """The one that undoes it: its run proposes with `compensates` set to the action.

    Declared by the agents of an installation, for each tool: `COMPENSATIONS`.
    """


@dataclass(frozen=True)
class Wording:
    """Which parameters of a tool are free text for people, as JSON pointers; `*` is any one member.

    Two effects that differ in nothing else are the same in other words. `diff_is_bare`: the diff of
    its dry run leaves the words out, so they are the same only where the diffs are equal. Declared
    by the agents of an installation, for each tool: `WORDINGS`.
    """

    parameters: tuple[str, ...] = ()
    diff_is_bare: bool = False


@dataclass(frozen=True)
class Place:
    """Where a person can look for an effect: a page of the provider, a mailbox, a log.

    A tool that knows some has `places(tenant, parameters, action_id)`. `url` may be empty.
    """

    label: str
    url: str = ""
    note: str = ""


class Tool(Protocol):
    """One kind of effect. Stateless; every method but `perform` and `void` leaves no trace.

    `capabilities` is the best case; what holds for one action is what `capabilities_for` says.
    It may also have `patience_seconds`, how long it may stay silent before a person is called, and
    `credential_expires_at(tenant)`, until when its credential is good, as far as it knows.
    """

    name: str
    version: str
    capabilities: Capabilities
    parameters_schema: Mapping[str, Json]
    receipt_schema: Mapping[str, Json]
    acting_credential: str
    budget_seconds: int
    margin_seconds: int
    largest_receipt_bytes: int
    volatile: tuple[str, ...]
    volatile_version: str
    look_again: LookAgain

    def check_credential(self, tenant: str) -> None:
        """Raises `CredentialInvalid`, or `Unanswered` when nobody is there to ask."""

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Json]) -> Capabilities:
        """What the tool can do at this action's target: never more than `capabilities`.

        May ask the target. Raises `Unanswered`: nothing is known yet, ask again as for a look-up.
        """

    def describe(self, parameters: Mapping[str, Json]) -> str: ...

    def target(self, parameters: Mapping[str, Json]) -> str: ...

    def magnitude(self, parameters: Mapping[str, Json]) -> Magnitude: ...

    def dry_run(self, call: Call) -> DryRun:
        """Raises `Unanswered`, `CredentialInvalid`, or `ValueError` when it could never be sent."""

    def perform(self, call: Call) -> Sent:
        """One wire request. Raises `Refused`; every other exception means *unknown*."""

    def look_up(self, call: Call) -> Found | Absent:
        """Ask the write endpoint for this action_id. Raises `Unanswered`."""

    def void(self, call: Call) -> Voided | Found:
        """Make *did not happen* true, or learn that it happened. Raises `Unanswered`."""


@dataclass
class Tools:
    """The tools of this installation, by name."""

    by_name: dict[str, Tool] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Tool:
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name
