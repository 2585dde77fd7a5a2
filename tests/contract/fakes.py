"""Fake tools, one for each row of what a tool can do; they pass the contract of the real ones."""

import fcntl
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from canonical.digests import sha256_hex
from canonical.json import dumps
from reconciliation.tools import (
    Absent,
    Call,
    Capabilities,
    CredentialInvalid,
    DryRun,
    Found,
    Json,
    Keyed,
    LookAgain,
    Magnitude,
    Refused,
    Sent,
    Unanswered,
    Voided,
)
from tests.contract.outside import Outside, wait_for

TEXT = {"type": "string", "minLength": 1, "maxLength": 200}
NAMES = ("action_id", "attempt_id", "key", "target")
PARAMETERS = {
    "type": "object",
    "properties": {"target": TEXT, "amount": {"type": "integer", "minimum": 0}},
    "required": ["amount", "target"],
    "additionalProperties": False,
}
RECEIPT = {
    "type": "object",
    "properties": {**dict.fromkeys(NAMES, TEXT), "amount": {"type": "integer"}},
    "required": sorted((*NAMES, "amount")),
    "additionalProperties": False,
}
GARBAGE = b"\xff\x00<html>bad gateway"


class PlaceTaken(Exception):
    """The place of this action is taken: by an earlier attempt, or by a tombstone."""


class InFlight(Exception):
    """Another request with the same key is being worked on."""


class FakeNothing:
    """Pays an amount to a target, once per request. Cannot say anything afterwards."""

    name = "fake_nothing"
    version = "1"
    capabilities = Capabilities()
    parameters_schema: Mapping[str, Json] = PARAMETERS
    receipt_schema: Mapping[str, Json] = RECEIPT
    acting_credential = "fake"
    budget_seconds = 5
    margin_seconds = 1
    largest_receipt_bytes = 2048
    volatile: tuple[str, ...] = ()
    volatile_version = "1"
    look_again = LookAgain()

    def __init__(self, folder: Path) -> None:
        self.outside = Outside(folder)

    def effects(self, key: str) -> int:
        return self.outside.effects(key)

    def check_credential(self, tenant: str) -> None:
        if self.outside.faults(self.name).credential:
            raise CredentialInvalid("the fake credential does not work")

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Json]) -> Capabilities:
        return self.capabilities

    def describe(self, parameters: Mapping[str, Json]) -> str:
        return f"Pay {parameters['amount']} cents to {parameters['target']}."

    def target(self, parameters: Mapping[str, Json]) -> str:
        return str(parameters["target"])

    def magnitude(self, parameters: Mapping[str, Json]) -> Magnitude:
        return Magnitude(amount=parameters["amount"], currency="EUR")

    def dry_run(self, call: Call) -> DryRun:
        target = self.target(call.parameters)
        diff = dumps({"before": None, "after": dict(call.parameters)})
        return DryRun(diff, "application/json", {target: self.outside.version(target)})

    def perform(self, call: Call) -> Sent:
        number = self.outside.count_request(self.name, "perform", call)
        faults = self.outside.faults(self.name)
        if number <= faults.refuse:
            raise Refused("the fake was told to refuse")
        with self._in_flight(call):
            known = self._recall(call)
            wait_for(faults.delay_until, call.budget_seconds)
            if number <= faults.lose:
                raise ConnectionError("the fake was told to lose this request")
            receipt = known or self.arrive(call)
            wait_for(faults.delay_answer_until, call.budget_seconds)
        if number <= faults.drop_answer:
            raise ConnectionResetError("the fake was told to drop this answer")
        return Sent(GARBAGE if number <= faults.garbage else receipt, self._left(call))

    def arrive(self, call: Call) -> bytes:
        """The effect itself, as a late request would have it too. Returns the receipt."""
        receipt = self._receipt(call)
        target, visible_at = self.target(call.parameters), time.time() + self._lag()
        row = (self.name, call.action_id, call.key, target, receipt, visible_at)
        with self.outside.writing() as db:
            if self.capabilities.void:
                statement = "insert or ignore into place values (?, ?)"
                if not db.execute(statement, (call.action_id, receipt)).rowcount:
                    raise PlaceTaken(call.action_id)
            columns = "tool, action_id, key, target, receipt, visible_at"
            db.execute(f"insert into effect ({columns}) values (?, ?, ?, ?, ?, ?)", row)
            if self.capabilities.keyed:
                statement = "insert or replace into remembered values (?, ?, ?)"
                db.execute(statement, (call.key, receipt, time.time()))
        return receipt

    def look_up(self, call: Call) -> Found | Absent:
        raise Unanswered("this fake cannot be asked")

    def void(self, call: Call) -> Voided | Found:
        raise Unanswered("this fake cannot void")

    def _ask(self, method: str, call: Call) -> None:
        number = self.outside.count_request(self.name, method, call)
        if number <= self.outside.faults(self.name).unanswered:
            raise Unanswered("the fake was told not to answer")

    def _receipt(self, call: Call) -> bytes:
        ids = {"action_id": call.action_id, "attempt_id": call.attempt_id, "key": call.key}
        return dumps({**ids, **call.parameters})

    def _left(self, call: Call) -> str:
        return sha256_hex(dumps(dict(call.parameters)))

    def _lag(self) -> float:
        return 0.0

    def _recall(self, call: Call) -> bytes | None:
        return None

    @contextmanager
    def _in_flight(self, call: Call) -> Iterator[None]:
        yield


class FakeLookUp(FakeNothing):
    """As above, and can be asked by action id; an effect is seen `lag_seconds` after it happened."""

    name = "fake_look_up"
    capabilities = Capabilities(look_up=True)

    def __init__(self, folder: Path, *, lag_seconds: float = 0.0) -> None:
        super().__init__(folder)
        self._lag_seconds = lag_seconds
        self.margin_seconds = 1 + math.ceil(lag_seconds)

    def look_up(self, call: Call) -> Found | Absent:
        self._ask("look_up", call)
        query = "select receipt from effect where action_id = ? and visible_at <= ? order by n"
        rows = self.outside.rows(query, call.action_id, time.time())
        return Found(rows[0][0], len(rows)) if rows else Absent()

    def _lag(self) -> float:
        return self._lag_seconds


class FakeKeyed(FakeNothing):
    """Remembers a key for `remembers_seconds` once its effect is done, and answers it the same.

    With `locks_in_flight` it also turns down a second request while the first is worked on.
    """

    name = "fake_keyed"

    def __init__(
        self, folder: Path, *, remembers_seconds: int = 86_400, locks_in_flight: bool = True
    ) -> None:
        super().__init__(folder)
        self._keyed = Keyed(remembers_seconds, locks_in_flight)
        self.capabilities = Capabilities(keyed=self._keyed)

    def _recall(self, call: Call) -> bytes | None:
        query = "select receipt from remembered where key = ? and first_seen > ?"
        since = time.time() - self._keyed.remembers_seconds
        rows = self.outside.rows(query, call.key, since)
        return rows[0][0] if rows else None

    @contextmanager
    def _in_flight(self, call: Call) -> Iterator[None]:
        # The lock ends with the process that holds it, as a server's would with its connection.
        with (self.outside.folder / "locks" / call.key).open("w") as file:
            try:
                if self._keyed.locks_in_flight:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InFlight(call.key) from error
            yield


class FakeVoid(FakeNothing):
    """Its effect takes a place that only one request can have, and a void takes it too."""

    name = "fake_void"
    capabilities = Capabilities(void=True, look_up=True)

    def look_up(self, call: Call) -> Found | Absent:
        self._ask("look_up", call)
        return self._held(call) or Absent()

    def void(self, call: Call) -> Voided | Found:
        self._ask("void", call)
        self.outside.rows("insert or ignore into place values (?, null)", call.action_id)
        held = self._held(call)
        if isinstance(held, Found):
            return held
        return Voided(dumps({"action_id": call.action_id, "void": True}))

    def _held(self, call: Call) -> Found | Absent | None:
        query = "select receipt from place where action_id = ?"
        rows = self.outside.rows(query, call.action_id)
        if not rows:
            return None
        count = self.outside.effects(call.key)
        return Absent(voided=True) if rows[0][0] is None else Found(rows[0][0], count)
