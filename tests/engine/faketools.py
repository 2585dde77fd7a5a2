"""Fake tools for the engine's tests: each stands for one row of DESIGN's capability table.

Their world is a folder: one file per effect, made with O_EXCL and synced, so that it survives
every killed process. Faults are files in the same folder.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from canonical import digests
from canonical import json as canonical
from reconciliation.tools import (
    Absent,
    Call,
    Capabilities,
    CredentialInvalid,
    DryRun,
    Found,
    Keyed,
    LookAgain,
    Magnitude,
    Place,
    Refused,
    Sent,
    Unanswered,
    Voided,
)

SCHEMA = {
    "type": "object",
    "properties": {"what": {"type": "string"}},
    "required": ["what"],
    "additionalProperties": False,
}


def world() -> Path:
    path = Path(os.environ["KEDGE_FAKE_WORLD"])
    path.mkdir(parents=True, exist_ok=True)
    return path


def effects(key: str = "") -> list[dict[str, Any]]:
    """What the outside world has, by its own account."""
    found = [json.loads(path.read_bytes()) for path in sorted(world().glob("effect-*"))]
    # A tombstone stands at the same place and has no key.
    return [effect for effect in found if effect["key"] and key in ("", effect["key"])]


class Fake:
    """What all fakes share. `place` decides who competes for an effect's place."""

    version = "1"
    parameters_schema: Mapping[str, Any] = SCHEMA
    receipt_schema: Mapping[str, Any] = {"type": "object"}
    acting_credential = "fake"
    budget_seconds = 2
    margin_seconds = 1
    largest_receipt_bytes = 1000
    volatile: tuple[str, ...] = ()
    volatile_version = "1"
    look_again = LookAgain()

    def __init__(self, name: str, capabilities: Capabilities) -> None:
        self.name = name
        self.capabilities = capabilities

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Any]) -> Capabilities:
        return self.capabilities

    def check_credential(self, tenant: str) -> None:
        self._fault("login", CredentialInvalid("the world does not know us"))

    def describe(self, parameters: Mapping[str, Any]) -> str:
        return f"write {parameters['what']}"

    def target(self, parameters: Mapping[str, Any]) -> str:
        return f"world/{parameters['what']}"

    def places(
        self, tenant: str, parameters: Mapping[str, Any], action_id: str
    ) -> tuple[Place, ...]:
        url = f"https://world.example/{parameters['what']}"
        return (Place("The page of the world", url, f"look for {action_id}"),)

    def magnitude(self, parameters: Mapping[str, Any]) -> Magnitude:
        return Magnitude(lines=1)

    def dry_run(self, call: Call) -> DryRun:
        self._fault("unseen", RuntimeError("the world cannot be seen"))
        version = world() / "version"
        seen = version.read_text() if version.exists() else "1"
        return DryRun(f"+{call.parameters['what']}\n".encode(), "text/plain", {"world": seen})

    def perform(self, call: Call) -> Sent:
        self._fault("refuse", Refused("the world says no"))
        receipt = self._receipt(call)
        effect = {**json.loads(receipt), "key": call.key, "attempt": call.attempt_id}
        if not self._put(call, effect):
            if self.capabilities.keyed:
                return Sent(self._stored(call), digests.sha256_hex(call.parameter_bytes))
            raise FileExistsError("the place is taken")
        self._fault("drop_answer", ConnectionError("the answer was lost"))
        return Sent(receipt, digests.sha256_hex(call.parameter_bytes))

    def look_up(self, call: Call) -> Found | Absent:
        self._fault("silent", Unanswered("the world does not answer"))
        count = 2 if (world() / "fault-twice").exists() else 1
        for effect in effects(call.key):
            receipt = canonical.dumps({"what": effect["what"], "action": effect["action"]})
            return Found(receipt, count=count)
        return Absent()

    def void(self, call: Call) -> Voided | Found:
        self._fault("silent", Unanswered("the world does not answer"))
        # Effect and tombstone compete for one name; asked again, the loser finds the winner again.
        self._put(call, {"key": "", "what": "void", "action": call.action_id})
        if self._at_place(call)["key"]:
            return Found(self._stored(call))
        return Voided(b"void")

    def _place(self, call: Call) -> str:
        exclusive = self.capabilities.void or self.capabilities.keyed
        return call.key[:24] if exclusive else f"{call.key[:24]}-{call.attempt_id}"

    def _receipt(self, call: Call) -> bytes:
        return canonical.dumps({"what": call.parameters["what"], "action": call.action_id})

    def _stored(self, call: Call) -> bytes:
        effect = self._at_place(call)
        return canonical.dumps({"what": effect["what"], "action": effect["action"]})

    def _at_place(self, call: Call) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((world() / f"effect-{self._place(call)}").read_bytes())
        return found

    def _put(self, call: Call, content: dict[str, Any]) -> bool:
        draft = world() / f"draft-{uuid4()}"
        with draft.open("wb") as file:
            file.write(json.dumps(content).encode())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, world() / f"effect-{self._place(call)}")
        except FileExistsError:
            return False
        finally:
            draft.unlink()
        return True

    def _fault(self, name: str, error: Exception) -> None:
        if (world() / f"fault-{name}").exists():
            raise error


ALL = (
    Fake("fake.void", Capabilities(void=True, look_up=True)),
    Fake("fake.keyed", Capabilities(keyed=Keyed(3600, locks_in_flight=True))),
    Fake("fake.look_up", Capabilities(look_up=True)),
    Fake("fake.nothing", Capabilities()),
)
