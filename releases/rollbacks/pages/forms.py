"""What people type of a rollback: why, what becomes of runs, an order, a sign-off."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from releases.rollbacks import phases
from releases.rollbacks.pages import telling
from releases.rollbacks.proposing import Wanted

LONGEST_WHY = 1_000
MOST = 500
LONGEST_ID = 64


class ProposeForm(forms.Form):
    """Why it is rolled back, and what becomes of the runs that cannot go on."""

    why = forms.CharField(
        label=_("What is wrong with it"), max_length=LONGEST_WHY, widget=forms.Textarea
    )
    forward_only = forms.ChoiceField(
        label=_("Runs that only go forward shall"),
        choices=[(each, telling.CHOICES[each]) for each in phases.FOR_FORWARD_ONLY],
        initial=phases.TO_WAIT,
        widget=forms.RadioSelect,
    )
    others = forms.ChoiceField(
        label=_("All other runs shall"),
        choices=[(each, telling.CHOICES[each]) for each in phases.CHOICES],
        initial=phases.TO_GO_ON,
        widget=forms.RadioSelect,
        help_text=_("What becomes of single runs can be chosen otherwise while it is under way."),
    )

    def wanted(self) -> Wanted:
        """What is asked of `proposing`; only after `is_valid`."""
        given = self.cleaned_data
        choices = dict.fromkeys(phases.KINDS, given["others"])
        return Wanted(given["why"], choices | {phases.FORWARD_ONLY: given["forward_only"]})


class OrderForm(forms.Form):
    """The digest as the page showed it."""

    digest = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)


class Listed(forms.MultipleChoiceField):
    """Ids that a page listed: at most `MOST`, of whatever the verb finds among its own."""

    def valid_value(self, value: Any) -> bool:
        return len(str(value)) <= LONGEST_ID

    def clean(self, value: Any) -> list[str]:
        if value and len(value) > MOST:
            raise forms.ValidationError(_("At most 500 at once."))
        return list(super().clean(value))


class ChooseForm(forms.Form):
    """What becomes of the runs that were ticked, and why."""

    run = Listed(label=_("Runs"))
    choice = forms.ChoiceField(
        label=_("They shall"),
        choices=[(each, telling.CHOICES[each]) for each in phases.CHOICES],
        widget=forms.RadioSelect,
    )
    why = forms.CharField(label=_("Why"), max_length=LONGEST_WHY, widget=forms.Textarea)

    def clean_run(self) -> list[Any]:
        """As ids; what is none is refused."""
        return [forms.UUIDField().clean(each) for each in self.cleaned_data["run"]]


class AcceptForm(forms.Form):
    """The effects that were ticked, and why they may stand."""

    effect = Listed(label=_("Effects"))
    reason = forms.CharField(
        label=_("Why they may stand"), max_length=LONGEST_WHY, widget=forms.Textarea
    )

    def clean_effect(self) -> list[int]:
        """As numbers; what is none is refused."""
        return [forms.IntegerField(min_value=1).clean(each) for each in self.cleaned_data["effect"]]


class UndoForm(forms.Form):
    """Why an effect is undone: whoever approves that reads it."""

    why = forms.CharField(label=_("Why"), max_length=LONGEST_WHY)


class PageForm(forms.Form):
    """The filter of a list, and where its page begins. What cannot be read is not given."""

    state = forms.ChoiceField(
        required=False, choices=[(each, each) for each in (*phases.EFFECT_STATES, *phases.KINDS)]
    )
    after = forms.IntegerField(required=False, min_value=0, max_value=2**62)

    def wanted(self) -> tuple[str, int]:
        """The state or kind, and the number after which the page begins."""
        self.is_valid()
        return self.cleaned_data.get("state", ""), self.cleaned_data.get("after") or 0
