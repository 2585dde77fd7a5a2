"""The two effects a fleet change asks for, and what becomes of the run after each answer.

Before the push nothing stands, so a push that is refused, rejected or expired has no edge: the run
ends there. After it the push stands whatever becomes of the mail: no answer to the mail undoes or
repeats it.
"""

from datetime import UTC, datetime

from agents.fleet_change.message import mail_body, mail_subject
from agents.remotes import BRANCH_NAME, source
from agents.tools.git.tool import GitPush
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
    Proposal,
    Result,
    State,
    To,
)

PUSH, MAIL = GitPush.name, SendMail.name
PUSH_HANDLES = (HAPPENED, SENT_BACK)
MAIL_HANDLES = (HAPPENED, SENT_BACK, REFUSED, REJECTED, EXPIRED, WRITTEN_OFF)
SENDER = "fleet-change@kedge.example"


def propose_push(state: State, context: Context) -> Proposal:
    """The commit that was built, onto the branch it was built for, if that has not moved."""
    return Proposal(
        PUSH,
        {
            "remote": context.input["repository"],
            "branch": BRANCH_NAME,
            "expected": state["head"],
            "commit": state["commit"],
            "change": state["change"],
            "pack": state["pack"],
        },
    )


def absorb_push(state: State, result: Result, context: Context) -> To:
    """Happened: tell the maintainer. Sent back: write the message anew."""
    if result.kind == SENT_BACK:
        notes = [*state.get("push_notes", []), result.note]
        return To("write_message", state | {"push_notes": notes})
    # From here on the branch is ours: whoever moves it on does not concern this run.
    context.saw(source(context.input["repository"]), state["commit"])
    pushed = {"commit": state["commit"], "action_id": result.action_id}
    return To("mail", state | {"pushed": pushed})


def propose_mail(state: State, context: Context) -> Proposal:
    """One mail to the one maintainer, dated like the commit, so that it is always the same mail."""
    at = datetime.fromtimestamp(state["at"], UTC)
    return Proposal(
        MAIL,
        {
            "to": context.input["maintainer"],
            "from": SENDER,
            "subject": mail_subject(context.input),
            "body": mail_body(state, context.input),
            "date": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
    )


def absorb_mail(state: State, result: Result, _context: Context) -> To:
    """Sent back: write the summary anew. Else the end: the push stands either way."""
    if result.kind == SENT_BACK:
        notes = [*state.get("mail_notes", []), result.note]
        return To("write_summary", state | {"mail_notes": notes})
    mail = {"result": result.kind, "action_id": result.action_id, "note": result.note}
    return To(END, state | {"mail": mail})
