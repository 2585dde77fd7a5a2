"""The nodes that look at the world: the ticket, the purchase it is about, and the ticket once more."""

from typing import Any

from agents.errors import TicketMismatch
from agents.refund_desk import books, tickets
from agents.refund_desk.tickets import Ticket
from checkpoints.graph import Context, State, To

Json = Any

# What was paid back is for these: if one of them moved since, a person looks before anybody is told.
BOUND = ("shop", "purchase", "cents", "currency", "customer")


def read_ticket(state: State, context: Context) -> To:
    """Begin with the ticket as it stands. Started over when it moved, it forgets what came of it.

    What was booked stays: nothing ever makes that undone but a booking of its own.
    """
    found = _read(context)
    kept: State = {name: state[name] for name in ("booked", "notes") if name in state}
    return To("read_purchase", {**kept, "ticket": _as_state(found)})


def read_purchase(state: State, context: Context) -> To:
    """What the books say of the purchase; None when they have none."""
    number = state["ticket"]["purchase"]
    found = books.purchase(context.tenant, number)
    if found is not None:
        context.saw(books.source(number), str(books.version(found)))
    return To("classify", {**state, "purchase": found})


def read_again(state: State, context: Context) -> To:
    """The ticket as it is now, so that the answer is for this version of it.

    Raises `TicketMismatch` when what was paid back is not what the ticket asks for any more.
    """
    now = _as_state(_read(context))
    was = state["ticket"]
    moved = [name for name in BOUND if now[name] != was[name]]
    if moved:
        raise TicketMismatch(
            f"The refund is booked, and since then the ticket has changed: {', '.join(moved)}."
        )
    return To("answer", {**state, "ticket": now})


def present_ticket(_source: str, context: Context) -> str | None:
    """The ticket's version as it stands."""
    return tickets.version(context.tenant, context.input["ticket"])


def present_purchase(source: str, context: Context) -> str | None:
    """The purchase's version as it stands."""
    return books.version(books.purchase(context.tenant, source.partition("/")[2]))


def _read(context: Context) -> Ticket:
    number = context.input["ticket"]
    found = tickets.read(context.tenant, number)
    context.saw(tickets.source(number), found.version)
    return found


def _as_state(found: Ticket) -> dict[str, Json]:
    fields = found.fields
    customer = {
        "id": fields["customer"],
        "name": fields["customer_name"],
        "mail": fields["customer_mail"],
    }
    same = ("title", "shop", "purchase", "currency", "cents", "said")
    return {"version": found.version, "customer": customer, **{it: fields[it] for it in same}}
