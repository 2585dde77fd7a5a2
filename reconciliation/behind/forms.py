"""What a person posts about an effect whose run the record has lost."""

from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from reconciliation.behind.models import DID_NOT_HAPPEN, HAPPENED, NOBODY_KNOWS

LONGEST_REASON: Final = 500


class SettleForm(forms.Form):
    """What became of it, and what the person saw."""

    became = forms.ChoiceField(
        label=_("What became of it"),
        choices=[
            (HAPPENED, _("It reached the world")),
            (DID_NOT_HAPPEN, _("It did not reach the world")),
            (NOBODY_KNOWS, _("Nobody can know")),
        ],
    )
    reason = forms.CharField(
        label=_("What you saw, and where"),
        max_length=LONGEST_REASON,
        help_text=_("It stands in the audit trail under your name."),
    )
