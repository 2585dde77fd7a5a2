"""What people post about a case: one verdict, why, and on what evidence."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reconciliation.verdicts import Choice, Given

LONGEST = 8000


class VerdictForm(forms.Form):
    """The form of one verdict: it asks for what that verdict needs, and for nothing else."""

    evidence = forms.CharField(
        label=_("Evidence"),
        help_text=_("What you saw, where, and when: for example the id in the provider's log."),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Say what you saw and where: this verdict needs evidence.")},
    )
    seq = forms.IntegerField(
        label=_("Checkpoint to go on from"),
        min_value=0,
        max_value=2**53,
        error_messages={"required": _("Name the checkpoint to go on from.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why: a verdict needs a reason.")},
    )

    def __init__(self, choice: Choice, data: Any = None, **options: Any) -> None:
        super().__init__(data, auto_id=f"{choice.verdict}-%s", **options)
        self.choice = choice
        if not choice.needs_evidence:
            del self.fields["evidence"]
        if not choice.needs_seq:
            del self.fields["seq"]

    def given(self) -> Given:
        """What was decided, of a form that is valid."""
        cleaned = self.cleaned_data
        return Given(
            self.choice.verdict,
            cleaned["reason"],
            evidence=cleaned.get("evidence", ""),
            seq=cleaned.get("seq"),
        )
