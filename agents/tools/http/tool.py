"""The HTTP tool: what a declaration says, under the contract of all tools."""

# ruff: noqa: ARG002 - the signatures are those of the contract

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from agents.tools import looking
from agents.tools.deadline import within
from agents.tools.errors import BadProposal, NotConfirmed
from agents.tools.http import answers, asking, building, showing, talking
from agents.tools.http.declared import DONE, REFUSED, Declared, Json
from agents.tools.http.loading import load
from agents.tools.http.talking import Line
from agents.tools.wire.errors import NotSent
from agents.tools.wire.reach import Reach
from agents.tools.wire.sending import Answer
from approvals.rules import pointers
from reconciliation.tools import (
    Absent,
    Call,
    Capabilities,
    CredentialInvalid,
    DryRun,
    Found,
    LookAgain,
    Magnitude,
    Place,
    Refused,
    Sent,
    Voided,
)

CHECK_SECONDS = 15


class HttpTool:
    """One kind of effect at one service. `reach` says where it may connect and with what."""

    look_again = LookAgain()

    def __init__(self, declared: Declared, reach: Reach) -> None:
        self.name = declared.name
        self.version = declared.version
        self.capabilities = declared.capabilities
        self.parameters_schema: Mapping[str, Json] = declared.parameters
        self.receipt_schema: Mapping[str, Json] = answers.receipt_schema(declared)
        self.acting_credential = declared.credential.name if declared.credential else ""
        self.budget_seconds = declared.limits.budget_seconds
        self.margin_seconds = declared.limits.margin_seconds
        self.largest_receipt_bytes = declared.limits.largest_receipt_bytes
        self.patience_seconds = declared.limits.patience_seconds
        self.volatile = declared.volatile
        self.volatile_version = declared.volatile_version
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
        """As the declaration says; without a check only whether there is one."""
        talking.check_credential(self._line(tenant, CHECK_SECONDS))

    def credential_expires_at(self, tenant: str) -> datetime | None:
        """What the declared variable says; None when it says nothing that is a moment."""
        credential = self._declared.credential
        name = credential.expires_variable if credential is not None else ""
        return talking.moment(self._reach.value(name, tenant)) if name else None

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Json]) -> Capabilities:
        """The same for all targets of one service."""
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
        """One GET at most; what would change, and the request."""
        return showing.dry_run(call, self._line(call.tenant, call.budget_seconds))

    def perform(self, call: Call) -> Sent:
        """One request. `Refused` only for what the declaration calls so, or when nothing left."""
        line, shape = self._line(call.tenant, call.budget_seconds), self._declared.effect.shape
        try:
            exchange = line.send(shape, building.values_of(call))
        except (BadProposal, CredentialInvalid) as error:
            raise Refused(f"nothing was sent: {error}") from error
        except NotSent as error:
            # Whoever can be asked later is asked later; nobody else could ever say so again.
            if self.capabilities == Capabilities():
                raise Refused(f"nothing was sent: {error}") from error
            raise
        receipt = self._receipt(exchange.answer, call)
        signature = self._declared.credential.header if self._declared.credential else ""
        base = line.server().base
        digest = building.wire_digest(self._declared, exchange.left, call, base, signature)
        return Sent(receipt, digest)

    def look_up(self, call: Call) -> Found | Absent:
        """One GET."""
        return asking.look_up(call, self._line(call.tenant, call.budget_seconds))

    def void(self, call: Call) -> Voided | Found:
        """Looks, takes the place, and looks again when that did not succeed."""
        return asking.void(call, self._line(call.tenant, call.budget_seconds))

    def _line(self, tenant: str, seconds: float) -> Line:
        return Line(self._declared, self._reach, tenant, within(seconds))

    def _receipt(self, answer: Answer, call: Call) -> bytes:
        rule = answers.fitting(self._declared.effect.rules, answer)
        if rule is not None and rule.means == REFUSED:
            raise Refused(f"the service said no: {answers.words(answer, rule.says)}")
        if rule is None or rule.means != DONE:
            said = f"the service did not confirm it: {answers.words(answer)}"
            raise NotConfirmed(said, retry_after=answers.retry_after(answer))
        found = pointers.at(answers.content(answer), self._declared.receipt_at)
        return answers.receipt(self._declared, found, call)
