"""The object tool: puts one document into a store, under the contract of all tools."""

# ruff: noqa: ARG002 - the signatures are those of the contract

from collections.abc import Mapping
from typing import Self

from botocore.exceptions import ClientError
from django.utils.translation import gettext as _

from agents.tools import looking
from agents.tools.deadline import within
from agents.tools.objects import asking, naming, putting, store
from agents.tools.objects.declared import Declared, load
from agents.tools.objects.store import Store
from agents.tools.wire.reach import Reach
from canonical.json import dumps
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
SHOWN_BYTES = 65_536
REFUSED_LOGIN = (401, 403)


class PutDocument:
    """Stores a document whose bytes are fixed at propose."""

    parameters_schema: Mapping[str, Json] = naming.PARAMETERS
    receipt_schema: Mapping[str, Json] = naming.RECEIPT
    largest_receipt_bytes = 2048
    volatile: tuple[str, ...] = ()
    volatile_version = "1"
    look_again = LookAgain()

    def __init__(self, declared: Declared, reach: Reach) -> None:
        self.name = declared.name
        self.version = declared.version
        self.capabilities = Capabilities(void=declared.honours_if_none_match, look_up=True)
        self.acting_credential = declared.credential
        self.budget_seconds = declared.budget_seconds
        self.margin_seconds = declared.margin_seconds
        self.patience_seconds = declared.patience_seconds
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
        """Asks for the bucket."""
        try:
            self._store(tenant, CHECK_SECONDS).head_bucket()
        except ClientError as error:
            if store.status_of(error) in REFUSED_LOGIN:
                raise CredentialInvalid(f"the store does not take it: {error}") from error
            raise Unanswered(f"the store cannot be asked: {error}") from error
        except store.NO_ANSWER as error:
            raise Unanswered(f"the store cannot be asked: {error}") from error

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Json]) -> Capabilities:
        """The same for all documents."""
        return self.capabilities

    def describe(self, parameters: Mapping[str, Json]) -> str:
        """One sentence: what is stored where."""
        return _("Store the document %(name)s (%(size)d bytes) in %(bucket)s.") % {
            "name": parameters["name"],
            "size": parameters["document"]["size"],
            "bucket": self._declared.bucket,
        }

    def target(self, parameters: Mapping[str, Json]) -> str:
        """`<bucket>/<folder>/<name>`."""
        return f"{self._declared.bucket}/{self._declared.folder}/{parameters['name']}"

    def magnitude(self, parameters: Mapping[str, Json]) -> Magnitude:
        """One file."""
        return Magnitude(files=1)

    def dry_run(self, call: Call) -> DryRun:
        """The document, and that its name is free."""
        content = putting.document(call, self._declared.largest_bytes)
        there = asking.head(call, self._store(call.tenant, call.budget_seconds))
        name = naming.name_of(self._declared, call)
        version = "" if there is None else str(there.get("ETag", "")) or "there"
        after = {**call.parameters, "object": name, **_text(content, call.parameters["media"])}
        before = {} if there is None else {"object": name, "version": version}
        diff = dumps({"before": before, "after": after})
        return DryRun(diff, "application/json", {f"{self._declared.bucket}/{name}": version})

    def perform(self, call: Call) -> Sent:
        """One PUT."""
        try:
            return putting.perform(call, self._store(call.tenant, call.budget_seconds))
        except CredentialInvalid as error:
            raise Refused(f"nothing was sent: {error}") from error

    def look_up(self, call: Call) -> Found | Absent:
        """One HEAD."""
        return asking.look_up(call, self._store(call.tenant, call.budget_seconds))

    def void(self, call: Call) -> Voided | Found:
        """A tombstone under the name of the document, unless that is there."""
        if not self.capabilities.void:
            raise Unanswered("this store does not say whether a name is taken")
        seconds = call.budget_seconds
        at, again = self._store(call.tenant, seconds), self._store(call.tenant, seconds)
        return asking.void(call, at, again)

    def _store(self, tenant: str, seconds: float) -> Store:
        return Store(self._declared, self._reach, tenant, within(seconds))


def _text(content: bytes, media: str) -> dict[str, Json]:
    """The document itself, where somebody can read it."""
    if not media.startswith(("text/", "application/json")) or len(content) > SHOWN_BYTES:
        return {}
    try:
        return {"text": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {}
