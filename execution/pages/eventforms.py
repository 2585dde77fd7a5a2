"""How each kind of event looks on a timeline: its words, tone and shape, and the detail that says more."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from checkpoints import states

Words = str | Promise


@dataclass(frozen=True)
class Form:
    """How one kind of event looks. `about` names the detail that says more."""

    title: Words
    tone: str = "waiting"
    shape: str = "dot"
    status: str = ""
    about: str = ""


FORMS: Final[dict[str, Form]] = {
    "started": Form(gettext_lazy("Started"), about="channel"),
    "proposed": Form(gettext_lazy("Proposed"), shape="ring"),
    "proposed again": Form(gettext_lazy("Proposed again"), shape="ring"),
    "forked": Form(gettext_lazy("Forked from another run"), shape="ring", about="reason"),
    "was forked": Form(gettext_lazy("Forked as another run"), shape="ring", about="reason"),
    "ordered to move": Form(
        gettext_lazy("Ordered to move to another combo"), "itself", "loop", about="why"
    ),
    "moved to combo": Form(gettext_lazy("Moved to another combo"), shape="ring", about="combo"),
    "not moved": Form(gettext_lazy("Not moved to another combo"), "ended", "minus", about="why"),
    "reused": Form(gettext_lazy("Took over: nothing is sent"), "done", "check", about="effect"),
    "borrowed": Form(gettext_lazy("Borrowed: nothing is sent"), "done", "check", about="effect"),
    "asked": Form(gettext_lazy("Asked for approval"), "person", "person"),
    "approved": Form(gettext_lazy("Approved"), "done", "check", about="reason"),
    "rejected": Form(gettext_lazy("Rejected"), "ended", "cross", about="reason"),
    "sent_back": Form(gettext_lazy("Sent back"), "ended", "undo", about="reason"),
    "taken_back": Form(gettext_lazy("Took their yes back"), "ended", "undo", about="reason"),
    "withdrawn": Form(gettext_lazy("Question withdrawn"), "ended", "minus", about="reason"),
    "approval_withdrawn": Form(
        gettext_lazy("Approval withdrawn"), "ended", "minus", about="reason"
    ),
    "found_moved": Form(
        gettext_lazy("What would happen has moved"), "person", "problem", about="moved"
    ),
    "found_as_before": Form(gettext_lazy("What would happen is as it was asked"), shape="ring"),
    "looked_at_twice": Form(gettext_lazy("A model looked too"), shape="search", about="outcome"),
    "remarks_seen": Form(gettext_lazy("Has seen the remarks of the second look"), shape="check"),
    "asked_anew": Form(
        gettext_lazy("Had the dry run made again"), "itself", "loop", about="reason"
    ),
    "handed_over": Form(
        gettext_lazy("Asked a colleague to decide"), "person", "person", about="to"
    ),
    "hand_over_taken_back": Form(
        gettext_lazy("Took back asking a colleague"), "ended", "undo", about="to"
    ),
    "expired": Form(gettext_lazy("Nobody decided in time"), "ended", "clock"),
    "no answer": Form(
        gettext_lazy("No answer that counts: what happened is not known"),
        "unknown",
        "question",
        about="said",
    ),
    "wire digest differs": Form(
        gettext_lazy("What was sent is not what was approved"), "person", "problem"
    ),
    "late evidence": Form(gettext_lazy("Late evidence came in"), "person", "problem", about="kind"),
    "planned": Form(gettext_lazy("In a plan"), shape="ring", about="plan"),
    "carried out": Form(gettext_lazy("Carried out in a plan"), shape="check", about="plan"),
    "held": Form(gettext_lazy("On hold: needs a person"), "person", "person"),
    "held back": Form(gettext_lazy("Waits behind a stop"), "waiting", "pause", about="why"),
    "verdict given": Form(gettext_lazy("Decided"), "ended", "person"),
    "case closed": Form(gettext_lazy("Over by itself"), "done", "check", about="because"),
    "cancel requested": Form(gettext_lazy("Asked to cancel"), "ended", "slash", about="why"),
    "settled": Form(gettext_lazy("Outcome known")),
    "interrupted": Form(gettext_lazy("Interrupted"), "itself", "loop", about="why"),
    "revoked": Form(gettext_lazy("Taken from its worker"), "ended", "undo", about="why"),
    "world moved": Form(gettext_lazy("What was read has changed since"), "itself", "loop"),
    "read again": Form(gettext_lazy("Reads it again"), "itself", "loop", about="why"),
    states.SUCCEEDED: Form(gettext_lazy("Ended"), status=states.SUCCEEDED, shape="check"),
    states.FAILED: Form(gettext_lazy("Ended"), status=states.FAILED, shape="cross"),
    states.CANCELLED: Form(gettext_lazy("Ended"), status=states.CANCELLED, shape="slash"),
}
