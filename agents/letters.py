"""A task that writes one mail and ends: its node, what it may not do, and what it keeps."""

from collections.abc import Callable
from typing import Final

from agents.tools.mail.tool import SendMail
from checkpoints.graph import (
    ACTION,
    END,
    HAPPENED,
    Context,
    Forbidden,
    Node,
    Proposal,
    Result,
    State,
    To,
)

MAIL: Final = SendMail.name
NODE: Final = "mail"
ONE_MAIL_ONLY: Final = (
    Forbidden(magnitude_over=("recipients", 1)),
    Forbidden(magnitude_over=("lines", 200)),
    Forbidden(magnitude_over=("files", 0)),
    Forbidden(magnitude_over=("amount", 0)),
)
SUCCEEDED: Final = "mailed"


def node(propose: Callable[[State, Context], Proposal]) -> Node:
    """The last node: it proposes the mail, and keeps by which action it was sent."""
    return Node(
        NODE,
        ACTION,
        to=(END,),
        propose=propose,
        absorb=_absorb,
        handles=(HAPPENED,),
        output={"type": "object", "required": [SUCCEEDED]},
    )


def succeeded(state: State) -> bool:
    """Whether it is written to them."""
    return SUCCEEDED in state


def _absorb(state: State, result: Result, _context: Context) -> To:
    return To(END, {**state, SUCCEEDED: {"action_id": result.action_id}})
