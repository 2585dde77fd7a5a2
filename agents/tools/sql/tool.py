"""The SQL tool: what a declaration says, under the contract of all tools."""

# ruff: noqa: ARG002 - the signatures are those of the contract

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import psycopg

from agents.tools import looking
from agents.tools.deadline import within
from agents.tools.sql import asking, showing, writing
from agents.tools.sql.database import Line
from agents.tools.sql.declared import Declared, load
from agents.tools.wire.reach import Reach
from reconciliation.tools import (
    Absent,
    Call,
    Capabilities,
    CredentialInvalid,
    DryRun,
    Found,
    Json,
    LookAgain,
    Magnitude,
    Place,
    Refused,
    Sent,
    Unanswered,
    Voided,
)

CHECK_SECONDS = 15
# What its owner runs once in a database that a tool may write to.
OUTCOMES = Path(__file__).parent / "outcomes.sql"
TEXT: dict[str, Json] = {"type": "string"}
BAD_LOGIN = (
    psycopg.errors.InvalidAuthorizationSpecification,
    psycopg.errors.InvalidPassword,
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.UndefinedTable,
)


class SqlTool:
    """One kind of effect in one database. Its outcome row makes look-up exact and void real."""

    capabilities = Capabilities(void=True, look_up=True)
    volatile: tuple[str, ...] = ()
    volatile_version = "1"
    look_again = LookAgain()

    def __init__(self, declared: Declared, reach: Reach) -> None:
        self.name = declared.name
        self.version = declared.version
        self.parameters_schema: Mapping[str, Json] = declared.parameters
        self.receipt_schema: Mapping[str, Json] = _receipt_schema(declared)
        self.acting_credential = declared.database.lower()
        self.budget_seconds = declared.budget_seconds
        self.margin_seconds = declared.margin_seconds
        self.patience_seconds = declared.patience_seconds
        self.largest_receipt_bytes = declared.largest_receipt_bytes
        self._declared, self._reach = declared, reach

    @classmethod
    def declared(cls, document: Mapping[str, Json], reach: Reach) -> Self:
        """The tool that a document declares. Raises `BadDeclaration`."""
        return cls(load(document), reach)

    def places(
        self, tenant: str, parameters: Mapping[str, Json], action_id: str
    ) -> tuple[Place, ...]:
        """Where the declaration says that a person can look."""
        return looking.found(self._declared.looks, tenant, parameters, action_id)

    def check_credential(self, tenant: str) -> None:
        """Logs in and looks at the table of outcomes."""
        try:
            with self._line(tenant, CHECK_SECONDS).connected() as connection:
                connection.execute("SELECT 1 FROM kedge_outcomes LIMIT 0")
        except BAD_LOGIN as error:
            raise CredentialInvalid(f"the database does not take it: {error}") from error
        except (psycopg.Error, OSError) as error:
            raise Unanswered(f"the database cannot be asked: {error}") from error

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Json]) -> Capabilities:
        """The same for all rows."""
        return self.capabilities

    def describe(self, parameters: Mapping[str, Json]) -> str:
        """The declared sentence."""
        return self._declared.says.sentence(parameters)

    def target(self, parameters: Mapping[str, Json]) -> str:
        """The declared name of what is touched."""
        return self._declared.says.target_of(parameters)

    def magnitude(self, parameters: Mapping[str, Json]) -> Magnitude:
        """As declared: numbers, and parameters by name."""
        return self._declared.says.magnitude_of(parameters)

    def dry_run(self, call: Call) -> DryRun:
        """The rows before and after, in a transaction that is rolled back."""
        return showing.dry_run(call, self._line(call.tenant, call.budget_seconds))

    def perform(self, call: Call) -> Sent:
        """One transaction. `Refused` when the database undid it because of what it was asked."""
        try:
            return writing.perform(call, self._line(call.tenant, call.budget_seconds))
        except CredentialInvalid as error:
            raise Refused(f"nothing was sent: {error}") from error

    def look_up(self, call: Call) -> Found | Absent:
        """The outcome row, if it was committed."""
        return asking.look_up(call, self._line(call.tenant, call.budget_seconds))

    def void(self, call: Call) -> Voided | Found:
        """A tombstone in place of the outcome row, unless that is there."""
        return asking.void(call, self._line(call.tenant, call.budget_seconds))

    def _line(self, tenant: str, seconds: float) -> Line:
        return Line(self._declared, self._reach, tenant, within(seconds))


def _receipt_schema(declared: Declared) -> dict[str, Json]:
    kept = {name: dict(it) for each in declared.statements for name, it in each.returns.items()}
    returned = {
        "type": "object",
        "properties": kept,
        "required": sorted(kept),
        "additionalProperties": False,
    }
    names = ("action_id", "attempt_id", "key")
    return {
        "type": "object",
        "properties": {**dict.fromkeys(names, TEXT), "returned": returned},
        "required": [*names, "returned"],
        "additionalProperties": False,
    }
