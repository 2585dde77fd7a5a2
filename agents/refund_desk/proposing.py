"""The four effects the desk asks for, and what becomes of the run after each answer.

Before the booking nothing stands, so a booking that is refused, rejected or expired has no edge:
the run ends there. After it the money is on its way whatever becomes of the rest: no answer to the
document, the ticket or the mail undoes or repeats it.
"""

from agents.refund_desk import amounts
from agents.refund_desk.systems import ANSWER, BOOK, STORE
from agents.tools.mail.tool import SendMail
from checkpoints.graph import (
    END,
    EXPIRED,
    HAPPENED,
    REFUSED,
    REJECTED,
    SENT_BACK,
    WRITTEN_OFF,
    Context,
    Json,
    Proposal,
    Result,
    State,
    To,
)

MAIL = SendMail.name
BOOK_HANDLES = (HAPPENED, SENT_BACK)
STORE_HANDLES = (HAPPENED, REFUSED, REJECTED, SENT_BACK, EXPIRED, WRITTEN_OFF)
ANSWER_HANDLES = MAIL_HANDLES = STORE_HANDLES
SENDER = "refund-desk@kedge.example"


def propose_book(state: State, context: Context) -> Proposal:
    """The booking that code worked out from the ticket's own fields."""
    return Proposal(BOOK, {"ticket": context.input["ticket"], **state["wanted"]})


def absorb_book(state: State, result: Result, _context: Context) -> To:
    """Happened: what next? Sent back: the ticket is read again, with what the person said."""
    if result.kind == SENT_BACK:
        return To("read_ticket", _noted(state, result))
    wanted = state["wanted"]
    booked = {
        "action_id": result.action_id,
        "number": wanted["number"],
        "cents": wanted["cents"],
        "currency": wanted["currency"],
    }
    return To("next_step", {**state, "booked": [*state.get("booked", []), booked]})


def propose_store(state: State, context: Context) -> Proposal:
    """The document, under the name of the ticket."""
    name = f"refund-{context.input['ticket']}.json"
    return Proposal(STORE, {"name": name, "media": "application/json", "document": state["paper"]})


def absorb_store(state: State, result: Result, _context: Context) -> To:
    """Whatever became of the document, the customer is answered."""
    return To("read_again", {**state, "stored": _outcome(result)})


def propose_answer(state: State, context: Context) -> Proposal:
    """The reply, for the version of the ticket that was just read."""
    return Proposal(
        ANSWER,
        {
            "ticket": context.input["ticket"],
            "version": state["ticket"]["version"],
            "answer": state["words"]["reply"],
        },
    )


def absorb_answer(state: State, result: Result, _context: Context) -> To:
    """Sent back: written anew. Nobody said anything: asked anew, on the ticket as it is by then."""
    if result.kind == SENT_BACK:
        return To("rewrite", _noted(state, result))
    if result.kind == EXPIRED:
        return To("read_again", state)
    return To("mail", {**state, "answered": _outcome(result)})


def propose_mail(state: State, context: Context) -> Proposal:
    """One mail to the one customer."""
    return Proposal(
        MAIL,
        {
            "to": state["ticket"]["customer"]["mail"],
            "from": SENDER,
            "subject": f"Your ticket {context.input['ticket']}: your refund",
            "body": _letter(state, context),
        },
    )


def absorb_mail(state: State, result: Result, _context: Context) -> To:
    """Sent back: written anew. Else the end."""
    if result.kind == SENT_BACK:
        return To("rewrite", _noted(state, result))
    return To(END, {**state, "mailed": _outcome(result)})


def _letter(state: State, context: Context) -> str:
    """The reply, then the facts that the customer can check; no name stands in it."""
    paid = "".join(
        f"Paid back: {amounts.written(each['cents'], each['currency'])}\n"
        for each in state["booked"]
    )
    return (
        f"Hello,\n\n{state['words']['reply'].strip()}\n\n{paid}"
        f"Purchase: {state['wanted']['purchase']}\nTicket: {context.input['ticket']}\n"
    )


def _noted(state: State, result: Result) -> State:
    return {**state, "notes": [*state.get("notes", []), result.note]}


def _outcome(result: Result) -> dict[str, Json]:
    return {"result": result.kind, "action_id": result.action_id, "note": result.note}
