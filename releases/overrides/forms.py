"""What people type to send business keys to one arm."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from checkpoints.models import Override
from releases.overrides.setting import Wanted

ARMS: Final = [
    (Override.STABLE, _("always what is stable")),
    (Override.CANDIDATE, _("the candidate, while there is one")),
]
LONGEST: Final = 25_000


class SendForm(forms.Form):
    """Keys, one a line, and the arm they are sent to."""

    keys = forms.CharField(
        label=_("Business keys, one a line"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "code"}),
    )
    arm = forms.ChoiceField(label=_("Their new runs get"), choices=ARMS, widget=forms.RadioSelect)
    why = forms.CharField(label=_("Why these"), max_length=500)

    def wanted(self, task_type: str) -> Wanted:
        """What is asked of `setting`; only after `is_valid`."""
        given: dict[str, Any] = self.cleaned_data
        lines = (line.strip() for line in given["keys"].splitlines())
        return Wanted(task_type, tuple(filter(None, lines)), given["arm"], given["why"])


class EndForm(forms.Form):
    """The override that the page showed."""

    override = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)
