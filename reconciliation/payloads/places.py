"""Where stored content lies: the input and states of runs, parameters and receipts of actions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from canonical import json as canonical
from canonical import redaction, sensitivity
from checkpoints import reading
from checkpoints.models import Run
from reconciliation.models import Action, Receipt
from tenants.keys import datakeys
from tenants.models import Tenant

Json = Any

# A page lists so many; a document with more is opened by exports, not by hand.
MOST_FIELDS: Final = 200


@dataclass(frozen=True)
class Place:
    """One stored document: `of` is input, state, parameters or receipt.

    `id` is the run's or the action's; `number` the checkpoint's or the receipt's, else 0.
    """

    of: str
    id: UUID
    number: int = 0

    def __str__(self) -> str:
        """How the audit trail names it."""
        return f"{self.of}:{self.id}" + (f":{self.number}" if self.number else "")


@dataclass(frozen=True)
class Field:
    """One encrypted field: its path as a JSON pointer, what it is, the mark that pages show."""

    path: str
    kind: str
    mark: str
    erased: bool


@dataclass(frozen=True)
class Document:
    """What is stored at a place, and the page it belongs to."""

    place: Place
    stored: Json
    title: str
    url: str

    def fields(self, tenant: Tenant) -> list[Field]:
        """The encrypted fields, in the order of the document; at most `MOST_FIELDS`."""
        erased = datakeys.erased_of(tenant.pk)
        return [
            Field(
                sensitivity.pointer(path),
                inner["as"],
                str(redaction.view(sensitivity.at(self.stored, path), erased=erased)),
                inner["key"] in erased,
            )
            for path, inner in list(redaction.envelopes(self.stored))[:MOST_FIELDS]
        ]

    def envelope(self, pointer: str) -> Json:
        """The envelope at a path. Raises Http404 when there is none."""
        for path, _inner in redaction.envelopes(self.stored):
            if sensitivity.pointer(path) == pointer:
                return sensitivity.at(self.stored, path)
        raise Http404(_("Nothing encrypted is stored there."))


def document(tenant: Tenant, place: Place) -> Document:
    """What is stored at a place of this tenant. Raises Http404."""
    read = _READERS.get(place.of)
    if read is None:
        raise Http404(_("There is no such page, or it is not yours to see."))
    return read(tenant, place)


def _input(tenant: Tenant, place: Place) -> Document:
    run = _run(tenant, place)
    return Document(place, _read(run.input), _("Input"), _run_page(run))


def _state(tenant: Tenant, place: Place) -> Document:
    run = _run(tenant, place)
    if not 1 <= place.number <= run.head:
        raise Http404(_("This run has no such checkpoint."))
    url = reverse("run_checkpoint", args=[tenant.slug, run.pk, place.number])
    title = _("State of checkpoint %(seq)d") % {"seq": place.number}
    return Document(place, reading.load(run, place.number).state, title, url)


def _parameters(tenant: Tenant, place: Place) -> Document:
    action = _action(tenant, place)
    return Document(place, _read(action.parameters), _("Parameters"), _action_page(action))


def _receipt(tenant: Tenant, place: Place) -> Document:
    action = _action(tenant, place)
    receipt = Receipt.objects.filter(action=action, pk=place.number).first()
    if receipt is None:
        raise Http404(_("This action has no such receipt."))
    return Document(place, _read(receipt.content), _("Receipt"), _action_page(action))


_READERS: Final[dict[str, Callable[[Tenant, Place], Document]]] = {
    "input": _input,
    "state": _state,
    "parameters": _parameters,
    "receipt": _receipt,
}


def _run(tenant: Tenant, place: Place) -> Run:
    run = Run.objects.select_related("tenant", "combo").filter(tenant=tenant, pk=place.id).first()
    if run is None:
        raise Http404(_("There is no such page, or it is not yours to see."))
    return run


def _action(tenant: Tenant, place: Place) -> Action:
    action = Action.objects.select_related("tenant").filter(tenant=tenant, pk=place.id).first()
    if action is None:
        raise Http404(_("There is no such page, or it is not yours to see."))
    return action


def _read(content: bytes | memoryview) -> Json:
    try:
        return canonical.loads(bytes(content))
    except canonical.CanonicalError:
        return None


def _run_page(run: Run) -> str:
    return reverse("run", args=[run.tenant.slug, run.pk])


def _action_page(action: Action) -> str:
    return reverse("reconciliation:action", args=[action.tenant.slug, action.pk])
