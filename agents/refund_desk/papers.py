"""The node that writes the refund document: facts of the booking, and nothing about a person."""

from agents.refund_desk import amounts
from canonical.json import dumps
from checkpoints.graph import Context, State, To


def write_paper(state: State, context: Context) -> To:
    """Fix the bytes of the document. Large values are not encrypted, so nobody is named in it."""
    booked = [
        {
            "action": each["action_id"],
            "number": each["number"],
            "amount": amounts.written(each["cents"], each["currency"]),
        }
        for each in state["booked"]
    ]
    document = {
        "document": "refund",
        "shop": context.tenant,
        "ticket": context.input["ticket"],
        "purchase": state["wanted"]["purchase"],
        "customer": state["ticket"]["customer"]["id"],
        "refunds": booked,
    }
    return To("store", {**state, "paper": context.put(dumps(document))})
