"""What a person posts about a door: which, open or closed, and why."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reconciliation.doors.moving import LONGEST_REASON

CLOSE, OPEN = "close", "open"


class DoorForm(forms.Form):
    """One door to be moved by hand."""

    tool = forms.CharField(label=_("Tool"), max_length=64)
    move = forms.ChoiceField(choices=[(CLOSE, CLOSE), (OPEN, OPEN)])
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("A few words. They stand in the audit trail."),
    )

    @classmethod
    def to_close(cls, tools: list[str], data: Any = None) -> "DoorForm":
        """The form under the list, with the tools whose door is open."""
        form = cls(data)
        form.fields["tool"] = forms.ChoiceField(
            label=_("Tool"), choices=[(tool, tool) for tool in tools]
        )
        return form
