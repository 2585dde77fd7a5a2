"""What people post about a state written by hand: the state itself, an answer, taking it away."""

import re
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from approvals import states
from approvals.onward import OnwardField
from checkpoints.graph import END
from execution.edits.writing import Base, Written
from execution.work import STATE_LIMIT_BYTES

LONGEST_REASON: Final = 8000
LOOK: Final = "look"
HASH: Final = re.compile(r"[0-9a-f]{64}")


class StateForm(forms.Form):
    """The new state as JSON text. What was typed comes back as it was, right or wrong."""

    parent_seq = forms.IntegerField(min_value=0, max_value=2**53, widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("The state, as JSON"),
        help_text=_(
            "The checkpoint's own state, in canonical order. A mark like «secret 0123456789ab» stands "
            "for an encrypted value: left in its place it keeps the value, and you can write another "
            "value instead. Lists that nodes append to are kept by the engine and not shown here."
        ),
        strip=False,
        max_length=4 * STATE_LIMIT_BYTES,
        widget=forms.Textarea(
            attrs={"rows": 24, "class": "code", "spellcheck": "false", "autocomplete": "off"}
        ),
        error_messages={"required": _("Write the state: a JSON object, { … }.")},
    )
    next_node = forms.ChoiceField(
        label=_("Next node"),
        help_text=_("This code has no node of the name that the checkpoint goes on with."),
        error_messages={"required": _("Say with which node the run goes on.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("Whoever approves it reads this, and it stands in the audit trail."),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why: a second person has to understand it.")},
    )

    def __init__(self, base: Base, data: Any = None, *, initial: dict[str, Any]) -> None:
        super().__init__(
            data, initial={"parent_seq": base.loaded.seq, **initial}, auto_id="edit-%s"
        )
        if data is not None and data.get("do") == LOOK:
            self.fields["reason"].required = False
        if base.next_is_gone:
            names = [("", _("Choose a node")), *((name, name) for name in base.graph.nodes)]
            choices: Any = [*names, (END, _("end of the run"))]
            self.fields["next_node"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["next_node"]

    def written(self, shown: tuple[Any, ...]) -> Written:
        """What was typed, of a form that is valid."""
        given = self.cleaned_data
        return Written(
            given["parent_seq"],
            given["text"],
            given["reason"],
            next_node=given.get("next_node", ""),
            shown=shown,
        )


class AnswerForm(forms.Form):
    """The second person's answer, and the hash of the page it was given on."""

    verdict = forms.ChoiceField(
        choices=[(verdict, verdict) for verdict in states.VERDICTS],
        error_messages={"required": _("Press one of the buttons: nothing was decided.")},
    )
    shown = forms.RegexField(HASH, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Note"),
        help_text=_("Needed to reject or send back. The author and the audit trail keep it."),
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    onward = OnwardField()

    def clean(self) -> dict[str, Any]:
        """A no without a reason helps nobody, and the engine would refuse it."""
        given: dict[str, Any] = super().clean() or {}
        verdict = given.get("verdict")
        if verdict and verdict != states.APPROVE and not given.get("reason", "").strip():
            self.add_error("reason", _("Say why: whoever wrote it needs to know."))
        return given


class WithdrawalForm(forms.Form):
    """Why an edit is taken away."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why: others may be looking at it.")},
    )
