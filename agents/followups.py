"""What can follow an effect: for each tool the task type that writes to whom it concerns."""

from typing import Any, Final

from agents.refund_desk.systems import BOOK
from agents.tools.git.tool import GitPush
from agents.tools.mail.tool import SendMail
from reconciliation.tools import CannotFollow, Followed, FollowUp

Json = Any

LONGEST_SUBJECT: Final = 200  # characters, by the input schema of `write_again`


def _about_a_mail(followed: Followed) -> dict[str, Json]:
    earlier = followed.parameters
    return {
        "action_id": followed.action_id,
        "to": _address(earlier.get("to")),
        "subject": f"About our mail: {earlier['subject']}"[:LONGEST_SUBJECT],
        "say": followed.say,
    }


def _about_a_push(followed: Followed) -> dict[str, Json]:
    pushed = followed.parameters
    return {
        "action_id": followed.action_id,
        "to": _address(followed.input.get("maintainer")),
        "subject": f"About commit {pushed['commit'][:12]} in {pushed['remote']}",
        "say": followed.say,
    }


def _about_a_refund(followed: Followed) -> dict[str, Json]:
    """Whose ticket it is stands in the tracker, and is read there by the run."""
    ticket = followed.parameters["ticket"]
    return {"action_id": followed.action_id, "ticket": ticket, "say": followed.say}


def _address(given: Json) -> str:
    """Who is written to. None was given, or it was erased: then nobody."""
    if not isinstance(given, str):
        raise CannotFollow("There is no address (any more) to write to.")
    return given


FOLLOW_UPS: Final[dict[str, FollowUp]] = {
    SendMail.name: FollowUp("write_again", _about_a_mail),
    GitPush.name: FollowUp("write_again", _about_a_push),
    BOOK: FollowUp("write_customer", _about_a_refund),
}
