"""What a person reads when their decision was not counted: who was quicker, what moved, who can."""

from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import changes, judging, states
from approvals.errors import (
    AlreadyDecidedError,
    ApprovalError,
    HashMismatchError,
    NotPermittedError,
)
from approvals.hashing import Difference
from approvals.models import ApprovalRequest
from approvals.queries import Detail
from canonical import display
from tenants import audit
from tenants.actors import Actor
from tenants.scope import TenantRequest

BECAME: Final[dict[str, str | Promise]] = {
    states.APPROVED: gettext_lazy("%(who)s approved it before you pressed."),
    states.USED: gettext_lazy("%(who)s approved it before you pressed, and it was sent."),
    states.REJECTED: gettext_lazy("%(who)s rejected it before you pressed. Nothing was sent."),
    states.SENT_BACK: gettext_lazy("%(who)s sent it back before you pressed. Nothing was sent."),
    states.EXPIRED: gettext_lazy("Its time was over before you pressed. Nothing was sent."),
    states.WITHDRAWN: gettext_lazy("%(who)s withdrew it before you pressed. Nothing was sent."),
    states.APPROVE: gettext_lazy("%(who)s approved it already. One answer per person counts."),
    states.REJECT: gettext_lazy("%(who)s rejected it already. One answer per person counts."),
    states.SEND_BACK: gettext_lazy("%(who)s sent it back already. One answer per person counts."),
    states.OPEN: gettext_lazy("It still waits for an answer, so there is nothing to withdraw."),
}
FIELDS: Final[dict[str, str | Promise]] = {
    "diff_digest": gettext_lazy("The change as shown"),
    "parameters_digest": gettext_lazy("The exact bytes to be sent"),
    "rules_version": gettext_lazy("The rules"),
    "tool_schema_digest": gettext_lazy("The version of the tool"),
    "acting_credential": gettext_lazy("Who it acts as"),
}
# Two questions never share these, so their difference says nothing.
OF_EVERY_QUESTION: Final = frozenset({"nonce", "expires_at"})
WHY_NOT: Final[dict[str, str | Promise]] = {
    "machine": gettext_lazy("Only a signed-in person decides."),
    "no_right": gettext_lazy("You do not have the right to decide this."),
    "own_run": gettext_lazy(
        "You started this run, or it works on your behalf. Somebody else must decide."
    ),
}
MOST_NAMES: Final = 8


def answer(
    request: TenantRequest, detail: Detail, error: ApprovalError, *, written: str, posted: str = ""
) -> HttpResponse:
    """The page that says why nothing was counted.

    `written` comes back, to be copied; `posted` is the hash the person's page carried. An error
    that is no refusal is raised again.
    """
    context = {"asked": detail.request, "written": written, "section": "needs"}
    if isinstance(error, HashMismatchError):
        context |= _moved(detail.request, error, posted)
        return render(request, "approvals/moved.html", context, status=409)
    if isinstance(error, AlreadyDecidedError):
        context |= {"text": str(BECAME[error.state]) % {"who": error.by}, "at": error.at}
        return render(request, "approvals/decided_already.html", context, status=409)
    if isinstance(error, NotPermittedError):
        _audit(request, detail.request, error)
        context |= {"text": WHY_NOT[error.code], "others": detail.still_can}
        return render(request, "approvals/not_yours.html", context, status=403)
    raise error


def _moved(asked: ApprovalRequest, error: HashMismatchError, posted: str) -> dict[str, Any]:
    """The three-way view: what the page showed, what is true now, and what differs, by field."""
    now = ApprovalRequest.objects.get(pk=error.request_id)
    shown = judging.shown_as(asked.action_id, posted) or (asked if asked.pk != now.pk else None)
    files = changes.moved_files(shown, now) if shown is not None else None
    return {
        "now": now,
        "shown": shown,
        "rows": [
            _row(difference, files)
            for difference in error.differences
            if difference.field not in OF_EVERY_QUESTION
        ],
    }


def _row(difference: Difference, files: list[str] | None) -> dict[str, str]:
    field = difference.field
    return {
        "field": _field(field),
        "saw": difference.saw or _("nothing"),
        "now": difference.now or _("nothing"),
        "difference": _difference(field, files),
    }


def _field(field: str) -> str:
    if field.startswith("resources."):
        return display.visible(field.removeprefix("resources."))
    return str(FIELDS.get(field, field.replace("_", " ")))


def _difference(field: str, files: list[str] | None) -> str:
    if field == "diff_digest" and files is not None:
        names = ", ".join(display.visible(name) for name in files[:MOST_NAMES])
        more = _(" and %(n)s more") % {"n": len(files) - MOST_NAMES}
        return names + (more if len(files) > MOST_NAMES else "") or _("the order of its files")
    if field.startswith("resources."):
        return _("It moved after your page was made.")
    return _("It is another one now.")


def _audit(request: TenantRequest, asked: ApprovalRequest, error: NotPermittedError) -> None:
    """After the refused verb has rolled back: the attempt is on record."""
    actor = Actor.person(request.user)
    audit.refuse(request.tenant, actor, "decide", f"request {asked.pk}", code=error.code)
