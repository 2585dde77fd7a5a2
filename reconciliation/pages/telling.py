"""What pages say about an action and its attempts: what became of it, and how that is known."""

from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from approvals.showing import values as showing
from reconciliation import outcomes, states
from reconciliation.models import Action, Receipt
from reconciliation.pages.queries import Tried
from tenants.keys import seeing

SETTLED: Final[dict[tuple[str, str], str | Promise]] = {
    (states.HAPPENED, states.ANSWERED): gettext_lazy("It happened: the tool answered so."),
    (states.HAPPENED, states.LOOKED_UP): gettext_lazy(
        "It happened: no answer came, so Kedge asked the tool, and it has the effect. "
        "Nothing was sent again."
    ),
    (states.HAPPENED, states.BY_PERSON): gettext_lazy(
        "It happened: a person says so, with evidence."
    ),
    (states.DID_NOT_HAPPEN, states.REJECTED): gettext_lazy("It was rejected and never sent."),
    (states.DID_NOT_HAPPEN, states.SENT_BACK): gettext_lazy("It was sent back and never sent out."),
    (states.DID_NOT_HAPPEN, states.EXPIRED): gettext_lazy("Nobody decided in time; never sent."),
    (states.DID_NOT_HAPPEN, states.WITHDRAWN): gettext_lazy("It was withdrawn; nothing stands."),
    (states.DID_NOT_HAPPEN, states.FORBIDDEN): gettext_lazy("The rules forbid it; never sent."),
    (states.DID_NOT_HAPPEN, states.VOIDED): gettext_lazy(
        "It did not happen, and cannot any more: its place at the tool is taken."
    ),
    (states.DID_NOT_HAPPEN, states.BY_PERSON): gettext_lazy(
        "It did not happen: a person says so, with evidence."
    ),
    (states.REFUSED, states.ANSWERED): gettext_lazy("The tool refused it. Nothing was changed."),
    (states.WRITTEN_OFF, states.BY_PERSON): gettext_lazy(
        "Nobody can know whether it happened: a person wrote it off."
    ),
}
ATTEMPTS: Final[dict[str, str | Promise]] = {
    states.ATTEMPT_OPEN: gettext_lazy("Nobody knows yet what it did."),
    states.ATTEMPT_HAPPENED: gettext_lazy("It had its effect."),
    states.ATTEMPT_REFUSED: gettext_lazy("The tool refused it."),
    states.ATTEMPT_ABSENT: gettext_lazy("It had no effect."),
    states.ATTEMPT_VOIDED: gettext_lazy("Its place was taken: it can have no effect any more."),
    states.ATTEMPT_NOT_CALLED: gettext_lazy("It was never called."),
    states.ATTEMPT_WRITTEN_OFF: gettext_lazy("Written off: nobody can know."),
    states.ATTEMPT_RESENT: gettext_lazy(
        "Sent again under the same key: the tool counts them as one."
    ),
}
SOURCES: Final[dict[str, str | Promise]] = {
    "answer": gettext_lazy("the tool's answer"),
    "refusal": gettext_lazy("the tool's refusal"),
    "look_up": gettext_lazy("found when the tool was asked"),
    "void": gettext_lazy("the tombstone in its place"),
    "person": gettext_lazy("a person's evidence"),
}
LOOKED_UP: Final[dict[str, str | Promise]] = {
    "found": gettext_lazy("It is there."),
    "absent": gettext_lazy("It is not there."),
    "unanswered": gettext_lazy("The tool did not answer."),
    "voided": gettext_lazy("Its place is taken: it can never arrive."),
}


def sentence(action: Action, *, sent: int) -> str:
    """What became of an action, in one sentence; `sent` counts its attempts."""
    if action.stands == states.SETTLED:
        known = SETTLED.get((action.outcome, action.because))
        return str(known) if known else action.outcome.replace("_", " ")
    if action.outcome == states.UNKNOWN:
        return _("It was sent, and nobody knows what it did. It is not sent again by itself.")
    if action.stands == states.DISPATCHED:
        return ngettext(
            "It is on its way: %(n)s attempt.", "It is on its way: %(n)s attempts.", sent
        ) % {"n": sent}
    return _("It is proposed. Nothing was sent.")


def told(tried: Tried, *, reads: bool) -> dict[str, Any]:
    """One attempt as its row shows it; the content of receipts only for those who may read it."""
    attempt = tried.attempt
    return {
        "attempt": attempt,
        "sentence": ATTEMPTS[attempt.outcome],
        "window_end": outcomes.window_end(attempt),
        "receipts": [_receipt(receipt, reads=reads) for receipt in tried.receipts],
        "look_ups": [
            {"at": look_up.at, "said": LOOKED_UP[look_up.answer], "detail": look_up.detail}
            for look_up in tried.look_ups
        ],
        "look_ups_before": tried.look_ups_before,
    }


def _receipt(receipt: Receipt, *, reads: bool) -> dict[str, Any]:
    content = seeing.of(receipt.action.tenant_id, receipt.content).content
    parsed = showing.json_part(content) if reads else None
    return {
        "at": receipt.at,
        "source": SOURCES[receipt.source],
        "digest": bytes(receipt.digest).hex(),
        "size": len(bytes(receipt.content)),
        "encrypted": receipt if reads and content != bytes(receipt.content) else None,
        "values": parsed,
        "text": showing.text_part(content) if reads and parsed is None else None,
    }
