"""What the books say of a purchase and of a refund: read only, by the same user as the tool."""

from typing import Any

from agents.errors import TicketMismatch
from agents.refund_desk import systems
from canonical.digests import sha256_hex
from canonical.json import dumps

Json = Any

PURCHASE = """
SELECT id, customer, currency, paid, refunded FROM purchase WHERE id = %(purchase)s
"""
REFUND = """
SELECT purchase, cents, currency, reverted_by FROM refund WHERE action_id = %(action)s
"""


def source(purchase: str) -> str:
    """How fingerprints name a purchase."""
    return f"purchases/{purchase}"


def purchase(tenant: str, number: str) -> dict[str, Json] | None:
    """The purchase; None when the books have none. Raises `TicketUnreadable`."""
    found = systems.ask_books(tenant, PURCHASE, {"purchase": number})
    return found[0] if found else None


def version(found: dict[str, Json] | None) -> str | None:
    """The version of a purchase: the digest of its row."""
    return None if found is None else sha256_hex(dumps(found))


def refund(tenant: str, action_id: str) -> dict[str, Json]:
    """The refund that an action booked. Raises `TicketUnreadable`, `TicketMismatch`."""
    found = systems.ask_books(tenant, REFUND, {"action": action_id})
    if not found:
        raise TicketMismatch(f"The books have no refund that was booked as {action_id}.")
    return found[0]
