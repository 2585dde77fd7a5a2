"""What browsers may load and where forms may lead: nothing but ourselves, and nothing inline."""

from collections.abc import Sequence
from typing import Any

from csp.constants import NONE, SELF


def content(*, forms_lead_to: Sequence[str]) -> dict[str, Any]:
    """The content security policy. A form that leads to a provider is answered with a redirect to it."""
    return {
        "DIRECTIVES": {
            "default-src": [NONE],
            "script-src": [SELF],
            "style-src": [SELF],
            "img-src": [SELF],
            "connect-src": [SELF],
            "form-action": [SELF, *forms_lead_to],
            "frame-ancestors": [NONE],
            "base-uri": [NONE],
        }
    }
