"""What a person posts to see an encrypted field: which one, and why."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reconciliation.payloads.places import Field

LONGEST_REASON = 1_000


class RevealForm(forms.Form):
    """One field of those that can still be read, and a reason."""

    path = forms.ChoiceField(label=_("Field"), widget=forms.RadioSelect)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("Your name, the field and this reason stand in the audit trail."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, fields: Sequence[Field], data: Any = None) -> None:
        super().__init__(data)
        choice = self.fields["path"]
        assert isinstance(choice, forms.ChoiceField)  # noqa: S101 - declared above
        choice.choices = [(one.path, f"{one.path or '/'} {one.mark}") for one in fields]
