"""Reading whose ticket it is, and the one mail it asks for."""

from typing import Final

from agents import letters
from agents.errors import TicketMismatch
from agents.refund_desk import tickets
from checkpoints.graph import Context, Proposal, State, To

SENDER: Final = "refund-desk@kedge.example"


def read_ticket(state: State, context: Context) -> To:
    """The customer's address as the tracker has it now."""
    number = context.input["ticket"]
    found = tickets.read(context.tenant, number)
    if not found.fields["customer_mail"]:
        raise TicketMismatch(f"Ticket {number} names no address of a customer.")
    context.saw(tickets.source(number), found.version)
    customer = {"id": found.fields["customer"], "mail": found.fields["customer_mail"]}
    return To(letters.NODE, {**state, "customer": customer})


def present_ticket(_source: str, context: Context) -> str | None:
    """The ticket's version as it stands."""
    return tickets.version(context.tenant, context.input["ticket"])


def propose_mail(state: State, context: Context) -> Proposal:
    """The person's words, and which ticket and refund they are about."""
    given = context.input
    about = f"Ticket: {given['ticket']}\nRefund: {given['action_id']}\n"
    parameters = {
        "to": state["customer"]["mail"],
        "from": SENDER,
        "subject": f"Your ticket {given['ticket']}: about your refund",
        "body": f"Hello,\n\n{given['say'].strip()}\n\n{about}",
    }
    return Proposal(letters.MAIL, parameters)
