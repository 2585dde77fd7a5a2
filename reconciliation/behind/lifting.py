"""What keeps two people from lifting the stop of a divergence. The database refuses it as well."""

from typing import Final

from tenants.database import execute

KEEPS: Final = "SELECT kedge_keeps_apart(%(stop)s::bigint)"


def why_not(stop_id: int) -> str:
    """For `settings.KEDGE_LIFT_CHECKS`: what is still open, in words; "" when nothing is."""
    keeps = kept_by(stop_id)
    return f"{keeps}; see the page Record" if keeps else ""


def kept_by(stop_id: int) -> str:
    """The same, for the page Record itself."""
    keeps: str = execute(KEEPS, {"stop": stop_id})[0][0]
    return keeps
