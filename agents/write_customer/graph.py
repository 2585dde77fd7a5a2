"""The task type `write_customer`: a follow-up of a refund, as a new action under its own approval."""

from typing import Final

from agents import letters, pieces
from agents.errors import TicketUnreadable
from agents.write_customer.writing import present_ticket, propose_mail, read_ticket
from checkpoints.graph import READ, Graph, Manifest, Node, Recheck, Retry

TASK_TYPE: Final = "write_customer"

MANIFEST = Manifest(
    input_schema=pieces.document(TASK_TYPE, "input.schema.json"),
    input_source="a person who planned follow-ups",
    data_class="personal",
    succeeded=letters.succeeded,
    succeeded_says="The customer is written to.",
    tools=(letters.MAIL,),
    forbidden=letters.ONE_MAIL_ONLY,
    versions={"data": "1"},
)

GRAPH = Graph(
    TASK_TYPE,
    title="Write to a customer",
    start="read_ticket",
    manifest=MANIFEST,
    state_schema=1,
    state_schemas={1: pieces.document(TASK_TYPE, "state.schema.json")},
)
GRAPH.add(
    Node(
        "read_ticket",
        READ,
        to=(letters.NODE,),
        run=read_ticket,
        output={"type": "object", "required": ["customer"]},
        retry=Retry(times=4, transient=(TicketUnreadable,)),
        # As long as nothing is sent, a ticket that moved is simply read again.
        recheck=Recheck(current=present_ticket, if_moved="reread"),
    )
)
GRAPH.add(letters.node(propose_mail))
GRAPH.checked()
