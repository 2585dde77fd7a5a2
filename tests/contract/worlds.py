"""What the contract suite needs to know about a tool: how to call it, and what its world then has.

To put a tool under the contract, write a `World` for it and add it to `WORLDS` in
`tests/contract/conftest.py`.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from canonical.digests import sha256_hex
from canonical.json import dumps
from reconciliation.tools import Call, Json, Tool

TENANT = "acme"


class World(Protocol):
    """One tool and the outside world it changes. Faults hold until the world is closed."""

    @property
    def tool(self) -> Tool: ...

    def call(self) -> Call:
        """The first attempt of a fresh action with valid parameters."""

    def odd_parameters(self) -> list[dict[str, Json]]:
        """Parameters that are unusual and valid."""

    def effects(self, key: str) -> int:
        """How many effects of this key the outside world has, by its own account."""

    def seen_outside(self) -> object:
        """All of the outside world that an effect could have changed."""

    def requests(self) -> int:
        """How often the world was asked for anything that can be an effect."""

    def refuse(self) -> None:
        """From now on the world says no to what `call` asks for."""

    def lose_answers(self) -> None:
        """From now on effects happen and their answer never arrives."""

    def hang(self) -> None:
        """From now on the world takes what it is asked for and never answers."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Blobs:
    """Large values by reference, as the record would keep them."""

    content: Mapping[str, bytes]

    def read(self, reference: Mapping[str, Json]) -> bytes:
        return self.content[reference["$blob"]]


def make_call(parameters: dict[str, Json], *blobs: bytes, budget: float = 20.0) -> Call:
    """The first attempt of a fresh action."""
    action_id = str(uuid.uuid4())
    return Call(
        action_id=action_id,
        attempt_id=str(uuid.uuid4()),
        key=sha256_hex(action_id.encode()),
        tenant=TENANT,
        parameters=parameters,
        parameter_bytes=dumps(parameters),
        budget_seconds=budget,
        read_blob=Blobs({sha256_hex(blob): blob for blob in blobs}).read,
    )


def reference_to(blob: bytes) -> dict[str, Json]:
    return {"$blob": sha256_hex(blob), "size": len(blob)}


def next_attempt(call: Call) -> Call:
    """Another attempt of the same action."""
    return replace(call, attempt_id=str(uuid.uuid4()))


def hurried(call: Call, seconds: float) -> Call:
    """The same attempt with less time."""
    return replace(call, budget_seconds=seconds)
