"""The task type `refund_desk`: a ticket in, money back, a document, an answer, a mail."""

from typing import Final

from agents import pieces
from agents.errors import InvalidAnswer, ModelUnavailable, TicketUnreadable
from agents.refund_desk import checking, papers, proposing, reading, words
from agents.refund_desk.systems import ANSWER, BOOK, STORE
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    MODEL,
    READ,
    Forbidden,
    Graph,
    Manifest,
    Node,
    Recheck,
    Retry,
    State,
)

TASK_TYPE: Final = "refund_desk"
OUTPUTS = pieces.document(TASK_TYPE, "output.schemas.json")

# In cents: what no rule and no person can let pass.
MOST_CENTS: Final = 500_000
PATIENT_READING = Retry(times=4, transient=(TicketUnreadable,))
PATIENT_ASKING = Retry(times=4, transient=(InvalidAnswer, ModelUnavailable))
# More than the model port takes at most, so that a slow model is an error and no dead worker.
ASKING_SECONDS = 90


def succeeded(state: State) -> bool:
    """Money is booked and the customer was written to, or nobody asked for money."""
    return bool(state.get("booked")) if "mailed" in state else "closed" in state


MANIFEST = Manifest(
    input_schema=pieces.document(TASK_TYPE, "input.schema.json"),
    input_source="the ticket desk, or a person who has a ticket before them",
    data_class="personal",
    succeeded=succeeded,
    succeeded_says="The refund is booked and the customer told, or there was nothing to pay back.",
    tools=(BOOK, STORE, ANSWER, proposing.MAIL),
    forbidden=(
        Forbidden(magnitude_over=("amount", MOST_CENTS)),
        Forbidden(magnitude_over=("recipients", 1)),
        Forbidden(magnitude_over=("files", 1)),
        Forbidden(magnitude_over=("lines", 200)),
        Forbidden(magnitude_over=("deletions", 0)),
    ),
    versions={"data": "1"},
)

GRAPH = Graph(
    TASK_TYPE,
    title="Refund desk",
    start="read_ticket",
    manifest=MANIFEST,
    state_schema=1,
    state_schemas={1: pieces.document(TASK_TYPE, "state.schema.json")},
)

GRAPH.add(
    Node(
        "read_ticket",
        READ,
        to=("read_purchase",),
        run=reading.read_ticket,
        output=OUTPUTS["read_ticket"],
        retry=PATIENT_READING,
        # As long as nothing is booked, a ticket that moved is simply read again.
        recheck=Recheck(current=reading.present_ticket, if_moved="reread"),
    )
)
GRAPH.add(
    Node(
        "read_purchase",
        READ,
        to=("classify",),
        run=reading.read_purchase,
        output=OUTPUTS["read_purchase"],
        retry=PATIENT_READING,
        # Somebody else pays back, or corrects the books: a person says whether this refund goes on.
        recheck=Recheck(current=reading.present_purchase, if_moved="hold"),
    )
)
GRAPH.add(
    Node(
        "classify",
        MODEL,
        to=("check",),
        run=words.classify,
        output=OUTPUTS["classify"],
        deadline_seconds=ASKING_SECONDS,
        retry=PATIENT_ASKING,
    )
)
GRAPH.add(Node("check", COMPUTE, to=("book", END), run=checking.check, output=OUTPUTS["check"]))
GRAPH.add(
    Node(
        "book",
        ACTION,
        to=("next_step", "read_ticket"),
        propose=proposing.propose_book,
        absorb=proposing.absorb_book,
        handles=proposing.BOOK_HANDLES,
        output=OUTPUTS["book"],
    )
)
GRAPH.add(
    Node(
        "next_step",
        MODEL,
        to=("check", "write_paper"),
        run=words.next_step,
        output=OUTPUTS["next_step"],
        deadline_seconds=ASKING_SECONDS,
        retry=PATIENT_ASKING,
    )
)
GRAPH.add(
    Node(
        "write_paper", COMPUTE, to=("store",), run=papers.write_paper, output=OUTPUTS["write_paper"]
    )
)
GRAPH.add(
    Node(
        "store",
        ACTION,
        to=("read_again",),
        propose=proposing.propose_store,
        absorb=proposing.absorb_store,
        handles=proposing.STORE_HANDLES,
        output=OUTPUTS["store"],
    )
)
GRAPH.add(
    Node(
        "read_again",
        READ,
        to=("answer",),
        run=reading.read_again,
        output=OUTPUTS["read_ticket"],
        retry=PATIENT_READING,
        # The answer is bound to this version by If-Match, whatever is decided here.
        recheck=Recheck(current=reading.present_ticket, if_moved="note"),
    )
)
GRAPH.add(
    Node(
        "answer",
        ACTION,
        to=("mail", "read_again", "rewrite"),
        propose=proposing.propose_answer,
        absorb=proposing.absorb_answer,
        handles=proposing.ANSWER_HANDLES,
        output=OUTPUTS["answer"],
    )
)
GRAPH.add(
    Node(
        "rewrite",
        MODEL,
        to=("read_again", "mail"),
        run=words.rewrite,
        output=OUTPUTS["rewrite"],
        deadline_seconds=ASKING_SECONDS,
        retry=PATIENT_ASKING,
    )
)
GRAPH.add(
    Node(
        "mail",
        ACTION,
        to=(END, "rewrite"),
        propose=proposing.propose_mail,
        absorb=proposing.absorb_mail,
        handles=proposing.MAIL_HANDLES,
        output=OUTPUTS["mail"],
    )
)
GRAPH.checked()
