"""Whom the effects of a filter reached, in the clear: an audited reveal, as a spreadsheet."""

from collections.abc import Iterator
from typing import Final

from canonical import json as canonical
from reconciliation import sensitive
from reconciliation.calls import tool_of
from reconciliation.models import Action
from reconciliation.overview import listing
from reconciliation.overview.filtering import Wanted
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding, vaults
from tenants.keys.errors import KeysError
from tenants.models import Tenant, User
from tenants.trail.spreadsheets import line

COLUMNS: Final = (
    "proposed_at", "tool", "target", "outcome", "because", "amount", "currency", "action", "run",
)  # fmt: skip
UNREADABLE: Final = "(erased)"


class TooManyError(ValueError):
    """More effects match than are taken along at once: narrow the filter."""


def recipients(tenant: Tenant, wanted: Wanted, *, user: User) -> str:
    """The effects that match, with their targets in the clear, as CSV. Audited with the filter.

    Raises `TooManyError` rather than leave any out.
    """
    found = list(
        listing.matching(tenant, wanted).select_related("tenant")[: listing.COUNTED_TO + 1]
    )
    if len(found) > listing.COUNTED_TO:
        raise TooManyError
    asked = {name: str(value) for name, value in vars(wanted).items() if value}
    audit.record(
        tenant,
        Actor.person(user),
        "export_recipients",
        hiding.text(f"tenant:{tenant.slug}"),
        effects=len(found),
        **{name: hiding.text(value).first(200) for name, value in asked.items()},
    )
    return "".join(_lines(found))


def _lines(found: list[Action]) -> Iterator[str]:
    yield line(COLUMNS)
    for action in found:
        magnitude = action.magnitude
        cells = (
            action.proposed_at.isoformat(timespec="seconds"),
            action.tool,
            _target(action),
            action.outcome or action.stands,
            action.because,
            magnitude.get("amount", ""),
            magnitude.get("currency", ""),
            action.pk,
            action.run_id,
        )
        yield line(str(cell) for cell in cells)


def _target(action: Action) -> str:
    """What is touched, from the parameters as they are sent; what was erased stays so."""
    # A vault of its own for each: what it opens is shown here and hides nothing else.
    with vaults.bound(action.tenant_id):
        try:
            parameters = canonical.loads_object(sensitive.parameters(action))
            return tool_of(action).target(parameters)
        except KeysError:
            return UNREADABLE
        except LookupError:
            return action.target  # its tool is not of this installation any more
