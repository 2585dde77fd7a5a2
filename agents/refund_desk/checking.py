"""What deterministic code says of a ticket: how much, to whom, and whether all of it agrees.

No word of the model's gets here but whether money was asked for at all. What does not agree raises
`TicketMismatch`: the run is held, and a person looks.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agents.errors import TicketMismatch
from agents.refund_desk import amounts
from checkpoints.graph import END, Context, State, To

Json = Any

CURRENCY = "EUR"
REFUND = "refund"
_MAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")


def check(state: State, context: Context) -> To:
    """Fix what is paid back, for which purchase, as which refund of the ticket."""
    if state["words"]["kind"] != REFUND and not state.get("booked"):
        return To(END, {**state, "closed": "nothing to pay back"})
    for problem in _problems(state, context.tenant):
        raise TicketMismatch(problem)
    ticket = state["ticket"]
    wanted = {
        "purchase": ticket["purchase"],
        "cents": ticket["cents"],
        "currency": ticket["currency"],
        # How often this run has paid back already: the rules ask more of a second time.
        "number": len(state.get("booked", [])) + 1,
    }
    return To("book", {**state, "wanted": wanted})


def _problems(state: State, tenant: str) -> Iterator[str]:
    ticket, purchase = state["ticket"], state["purchase"]
    if ticket["shop"] != tenant:
        yield "The ticket belongs to another shop."
    if not isinstance(ticket["cents"], int) or ticket["cents"] <= 0:
        yield "The ticket has no amount in its own field."
    yield from _of_customer(ticket["customer"])
    if purchase is None:
        yield f"The books have no purchase {ticket['purchase'] or '(none named)'}."
        return
    if purchase["customer"] != ticket["customer"]["id"]:
        yield "The purchase was made by another customer than the ticket names."
    if {purchase["currency"], ticket["currency"]} != {CURRENCY}:
        yield f"Ticket and purchase are not both in {CURRENCY}."
    yield from _of_amounts(ticket)


def _of_customer(customer: Mapping[str, Json]) -> Iterator[str]:
    if not customer["id"]:
        yield "The ticket names no customer."
    if not _MAIL.fullmatch(customer["mail"]):
        yield "The ticket has no address to which the customer could be written."


def _of_amounts(ticket: Mapping[str, Json]) -> Iterator[str]:
    named = set(amounts.named_in(f"{ticket['title']}\n{ticket['said']}"))
    if named and ticket["cents"] not in named:
        own = amounts.written(ticket["cents"], ticket["currency"])
        said = ", ".join(amounts.written(cents, CURRENCY) for cents in sorted(named))
        yield f"The ticket's own field says {own}, and the customer writes of {said}."
