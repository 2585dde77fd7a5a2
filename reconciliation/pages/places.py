"""Where a person can look for an effect: what its tool says, and nothing that is no plain link."""

import logging
from typing import Any, Final

from django.utils.translation import gettext as _

from canonical import display
from canonical import json as canonical
from canonical.redaction import view
from checkpoints.registry import agents
from reconciliation.models import Action
from reconciliation.pages.casefacts import fact
from reconciliation.tools import Place
from reconciliation.verdicts.terms import LINK

log = logging.getLogger(__name__)

MOST: Final = 5
LONGEST: Final = 400


def of(action: Action | None) -> list[dict[str, Any]]:
    """The places that the tool of an action declares; the tool sees no more than the page may."""
    tool = agents().TOOLS.by_name.get(action.tool) if action is not None else None
    told = getattr(tool, "places", None)
    if action is None or told is None:
        return []
    try:
        parameters = view(canonical.loads(bytes(action.parameters))).value
        found = list(told(action.tenant.slug, parameters, str(action.pk)))
    except Exception as error:  # a tool's own code: without it the page is whole
        log.warning("places of %s: %s", action.tool, error)
        return []
    return [_fact(place) for place in found[:MOST] if isinstance(place, Place)]


def _fact(place: Place) -> dict[str, Any]:
    url = place.url if LINK.fullmatch(place.url) else ""
    label = display.visible(place.label)[:LONGEST]
    return fact(_("Where to look"), label, url=url, note=display.visible(place.note)[:LONGEST])
