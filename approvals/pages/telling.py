"""The words of a refusal: what a person is told whose answer was not counted."""

from dataclasses import dataclass
from datetime import datetime
from inspect import getdoc
from typing import Final
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import states
from approvals.errors import (
    AlreadyDecidedError,
    ApprovalError,
    CannotTakeItError,
    ContradictoryDiffError,
    DamagedRequestError,
    HashMismatchError,
    NotApprovedError,
    NotPermittedError,
    ProofNeededError,
    RemarksUnseenError,
    UnopenedError,
)
from approvals.models import ApprovalRequest
from approvals.pages import unopened
from canonical import display

BECAME: Final[dict[str, str | Promise]] = {
    states.APPROVED: gettext_lazy("%(who)s approved it before you pressed."),
    states.USED: gettext_lazy("%(who)s approved it before you pressed, and it was sent."),
    states.REJECTED: gettext_lazy(
        "%(who)s rejected it before you pressed: “%(why)s” Nothing was sent."
    ),
    states.SENT_BACK: gettext_lazy(
        "%(who)s sent it back before you pressed: “%(why)s” Nothing was sent."
    ),
    states.EXPIRED: gettext_lazy("Its time was over before you pressed. Nothing was sent."),
    states.WITHDRAWN: gettext_lazy(
        "%(who)s withdrew it before you pressed: “%(why)s” Nothing was sent."
    ),
    states.APPROVE: gettext_lazy("%(who)s approved it already. One answer per person counts."),
    states.REJECT: gettext_lazy("%(who)s rejected it already. One answer per person counts."),
    states.SEND_BACK: gettext_lazy("%(who)s sent it back already. One answer per person counts."),
    states.OPEN: gettext_lazy("It still waits for an answer, so there is nothing to withdraw."),
}
WHY_NOT: Final[dict[str, str | Promise]] = {
    "not_asked": gettext_lazy("The rules ask for other people here."),
    "machine": gettext_lazy("Only a signed-in person decides."),
    "no_right": gettext_lazy("You do not have the right to decide this."),
    "own_run": gettext_lazy(
        "You started this run, or it works on your behalf. Somebody else must decide."
    ),
}
UNOPENED: Final = "unopened"
OTHERS: Final = (
    ContradictoryDiffError,
    DamagedRequestError,
    NotApprovedError,
    CannotTakeItError,
    ProofNeededError,
    RemarksUnseenError,
)


@dataclass(frozen=True)
class Told:
    """What a person reads when nothing was counted: a title, a sentence, the time it speaks of.

    `code` is for the record; `status` for HTTP; `template` shows more of it.
    """

    code: str
    title: str
    text: str
    at: datetime | None = None
    status: int = 409
    template: str = "approvals/_not_counted.html"


def tell(error: ApprovalError) -> Told:
    """The title and the sentence of a refusal. Raises the error again when it is none."""
    if isinstance(error, HashMismatchError):
        return Told(
            "moved",
            _("What would happen has changed since your page was made"),
            _(
                "Your answer was not counted, because it was about something else than what would "
                "happen now. Nothing was sent."
            ),
            template="approvals/_moved.html",
        )
    if isinstance(error, AlreadyDecidedError):
        title = _("This was decided already")
        return Told(error.state, title, _became(error), error.at)
    if isinstance(error, NotPermittedError):
        return Told(
            error.code,
            _("Somebody else must decide"),
            str(WHY_NOT.get(error.code, WHY_NOT["no_right"])),
            status=403,
            template="approvals/_not_yours.html",
        )
    if isinstance(error, UnopenedError):
        return Told(
            UNOPENED,
            _("You have not opened everything"),
            unopened.sentence(_asked(error.request_id), error.left, error.why_all),
            template="approvals/_unopened.html",
        )
    if isinstance(error, OTHERS):
        return Told(type(error).__name__, _("This cannot be done now"), sentence_of(error))
    raise error


def sentence_of(error: ApprovalError) -> str:
    """The operator's sentence of an error: the first paragraph of its class's docstring."""
    return " ".join((getdoc(type(error)) or "").split("\n\n")[0].split())


def _asked(request_id: UUID) -> ApprovalRequest:
    found = ApprovalRequest.objects.select_related("tenant").only("tenant__slug")
    return found.get(pk=request_id)


def _became(error: AlreadyDecidedError) -> str:
    # What one person answered before is not what became of the request: it has its own reason.
    why = ApprovalRequest.objects.filter(pk=error.request_id, state=error.state)
    because = why.values_list("closed_because", flat=True).first() or ""
    text = str(BECAME[error.state]) % {"who": error.by, "why": display.visible(because)}
    return text.replace(": “”", ".")
