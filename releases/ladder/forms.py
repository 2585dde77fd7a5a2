"""What people type of a step: the tool, the rung, why, and the digest of what the page showed."""

from django import forms
from django.utils.translation import gettext_lazy as _

from checkpoints import rungs
from releases.ladder.climbing import Wanted
from releases.ladder.telling import RUNGS

LONGEST_WHY = 1_000


class StepForm(forms.Form):
    """One step; several of these forms stand on a page, so their ids differ by the tool's place."""

    tool = forms.CharField(max_length=100, widget=forms.HiddenInput)
    digest = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    to = forms.ChoiceField(label=_("Rung"), choices=[(rung, RUNGS[rung]) for rung in rungs.RUNGS])
    why = forms.CharField(label=_("Why now"), max_length=LONGEST_WHY)

    def wanted(self) -> Wanted:
        """What is asked of `climbing`; only after `is_valid`."""
        given = self.cleaned_data
        return Wanted(given["tool"], given["to"], given["why"], given["digest"])


def up(place: int) -> StepForm:
    """The form of a step up: only its reason is typed."""
    return StepForm(auto_id=f"up-{place}-%s")


def down(place: int, below: tuple[str, ...]) -> StepForm:
    """The form of a step down, to any rung below."""
    form = StepForm(auto_id=f"down-{place}-%s")
    form.fields["to"].choices = [(rung, RUNGS[rung]) for rung in below]  # type: ignore[attr-defined]
    return form
