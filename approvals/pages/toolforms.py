"""What a person says of a tool: which class it has, and why."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from approvals.pages import toolclasses
from approvals.pages.forms import LONGEST_REASON
from approvals.rules.classes import CLASSES


class ChooseForm(forms.Form):
    """Which tool, and what somebody is about to say of it: asked by GET, for the preview."""

    tool = forms.ChoiceField(label=_("Tool"))
    to = forms.ChoiceField(label=_("Undoing it"))

    def __init__(self, tools: list[str], data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        names, classes = self.fields["tool"], self.fields["to"]
        names.choices = [(tool, tool) for tool in tools]  # type: ignore[attr-defined]
        classes.choices = toolclasses.choices()  # type: ignore[attr-defined]


class ClassForm(ChooseForm):
    """The same, said: why, and the class that the page showed."""

    why = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("A few words. They stand in the audit trail."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    seen = forms.ChoiceField(choices=[(each, each) for each in CLASSES], widget=forms.HiddenInput)
