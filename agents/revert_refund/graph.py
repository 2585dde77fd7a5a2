"""The task type `revert_refund`: compensation for a booking, as a new action under its own approval."""

from typing import Final

from agents import pieces
from agents.errors import TicketUnreadable
from agents.refund_desk.systems import REVERT
from agents.revert_refund.reverting import (
    REVERT_HANDLES,
    absorb_revert,
    present_refund,
    propose_revert,
    read_refund,
)
from checkpoints.graph import (
    ACTION,
    END,
    READ,
    Forbidden,
    Graph,
    Manifest,
    Node,
    Recheck,
    Retry,
)

TASK_TYPE: Final = "revert_refund"

MANIFEST = Manifest(
    input_schema=pieces.document(TASK_TYPE, "input.schema.json"),
    input_source="a person who wants a booked refund taken back",
    data_class="internal",
    succeeded=lambda state: "reverted" in state,
    succeeded_says="The refund is taken back in the books.",
    tools=(REVERT,),
    forbidden=(
        Forbidden(magnitude_over=("amount", 500_000)),
        Forbidden(magnitude_over=("recipients", 0)),
        Forbidden(magnitude_over=("files", 0)),
    ),
    versions={"data": "1"},
)

GRAPH = Graph(
    TASK_TYPE,
    title="Revert a refund",
    start="read_refund",
    manifest=MANIFEST,
    state_schema=1,
    state_schemas={1: pieces.document(TASK_TYPE, "state.schema.json")},
)
GRAPH.add(
    Node(
        "read_refund",
        READ,
        to=("revert",),
        run=read_refund,
        output={"type": "object", "required": ["refund"]},
        retry=Retry(times=4, transient=(TicketUnreadable,)),
        # Somebody took it back meanwhile: there is nothing left that this run could do by itself.
        recheck=Recheck(current=present_refund, if_moved="hold"),
    )
)
GRAPH.add(
    Node(
        "revert",
        ACTION,
        to=(END,),
        propose=propose_revert,
        absorb=absorb_revert,
        handles=REVERT_HANDLES,
        output={"type": "object", "required": ["refund", "reverted"]},
    )
)
GRAPH.checked()
