"""The one mail it asks for."""

from typing import Final

from agents import letters
from checkpoints.graph import Context, Proposal, State

SENDER: Final = "desk@kedge.example"


def propose_mail(_state: State, context: Context) -> Proposal:
    """The person's words, and which effect they are about: the same bytes however often."""
    given = context.input
    body = f"{given['say'].strip()}\n\nReference: {given['action_id']}\n"
    parameters = {"to": given["to"], "from": SENDER, "subject": given["subject"], "body": body}
    return Proposal(letters.MAIL, parameters)
