"""What people post about a request: their answer, and taking permission away."""

import re
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from approvals import states
from approvals.onward import OnwardField
from tenants.models import User

LONGEST_REASON = 4000
# The answer of the button that says how many parts were not opened.
WITHOUT: Final = "approve_without"
HASH: Final = re.compile(r"[0-9a-f]{64}")


class DecisionForm(forms.Form):
    """One answer to the question of a page. `shown` is the hash that the page carried.

    The verdict comes from the button that was pressed; nothing is pressed in advance. `left` is how
    many parts were not opened, as the page said; `without` is it when that very button was pressed.
    """

    verdict = forms.ChoiceField(
        choices=[(verdict, verdict) for verdict in (*states.VERDICTS, WITHOUT)],
        error_messages={"required": _("Press one of the buttons: nothing was decided.")},
    )
    left = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    shown = forms.RegexField(r"\A[0-9a-f]{64}\Z", widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("Needed to reject or send back. The run and the audit trail keep it."),
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    onward = OnwardField()

    def clean(self) -> dict[str, Any]:
        """A no without a reason helps nobody, and the engine would refuse it."""
        given: dict[str, Any] = super().clean() or {}
        _split(given)
        verdict = given.get("verdict")
        if verdict and verdict != states.APPROVE and not given.get("reason", "").strip():
            self.add_error("reason", _("Say why: the run and the people behind it need to know."))
        return given


class BatchForm(forms.Form):
    """One answer to many questions. Which, and on which hashes, is read by `pairs_of`; how many
    parts of each were not opened by `lefts_of`, which count when `goes_without`."""

    verdict = forms.ChoiceField(
        choices=[(verdict, verdict) for verdict in (*states.VERDICTS, WITHOUT)],
        error_messages={"required": _("Press one of the buttons: nothing was decided.")},
    )
    nonce = forms.UUIDField(widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("Needed to reject or send back. Every run and the audit trail keep it."),
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean(self) -> dict[str, Any]:
        """A no without a reason helps nobody, and the engine would refuse it."""
        given: dict[str, Any] = super().clean() or {}
        _split(given)
        verdict = given.get("verdict")
        if verdict and verdict != states.APPROVE and not given.get("reason", "").strip():
            self.add_error("reason", _("Say why: the run and the people behind it need to know."))
        return given


def _split(given: dict[str, Any]) -> None:
    """Tell the button for going without opening apart from the answer it gives."""
    goes_without = given["goes_without"] = given.get("verdict") == WITHOUT
    given["without"] = (given.get("left") or 0) if goes_without else 0
    if goes_without:
        given["verdict"] = states.APPROVE


def pairs_of(posted: QueryDict) -> list[tuple[UUID, str]]:
    """The pairs "<request id>:<hash>" of a posted batch. Raises ValueError for anything else."""
    found = []
    for pair in posted.getlist("pair"):
        request_id, _colon, shown = pair.partition(":")
        if not HASH.fullmatch(shown):
            raise ValueError(f"not the hash of a page: {shown[:80]!r}")
        found.append((UUID(request_id), shown))
    return found


def lefts_of(posted: QueryDict) -> dict[UUID, int]:
    """The "<request id>:<number>" of what was not opened. Raises ValueError for anything else."""
    found = {}
    for pair in posted.getlist("left"):
        request_id, _colon, number = pair.partition(":")
        found[UUID(request_id)] = int(number)
    return found


class TakingAwayForm(forms.Form):
    """Why a given yes or an approval is taken away."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why: whoever approved it needs to know.")},
    )


class HandOverForm(forms.Form):
    """Which colleague is asked to decide, out of those who can."""

    colleague = forms.TypedChoiceField(
        label=_("Colleague"),
        coerce=int,
        error_messages={
            "required": _("Choose a colleague."),
            "invalid_choice": _("This colleague cannot decide it any more: choose another."),
        },
    )
    note = forms.CharField(
        label=_("Note"),
        help_text=_("Your colleague reads it. It gives no right and decides nothing."),
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, colleagues: Sequence[User], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "hand-over-%s", **kwargs})
        nobody = [("", _("Choose a person"))]
        self.fields["colleague"].choices = [  # type: ignore[attr-defined]
            *nobody,
            *((user.pk, str(user)) for user in colleagues),
        ]
