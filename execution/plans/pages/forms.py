"""What people type of plans: what is to happen and why, the number before it starts, filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from execution.pages.forms import ReasonForm
from execution.plans import states
from execution.plans.drafting import Draft
from execution.plans.kinds import KINDS, following
from execution.plans.kinds.contract import Words
from execution.plans.kinds.ruling import OFFERED
from execution.plans.ordering import Order
from execution.plans.sources import Chosen

SEPARATOR = ":"
LONGEST_EVIDENCE = 4_000


@dataclass(frozen=True)
class Offer:
    """One thing that can happen, as its card says it."""

    title: Words
    follows: Words

    def __str__(self) -> str:
        return str(self.title)


class DraftForm(ReasonForm):
    """A plan to be worked out: what is to happen to what was chosen, why, and how fast."""

    what = forms.ChoiceField(label=_("What is to happen"), widget=forms.RadioSelect)
    evidence = forms.CharField(
        label=_("Evidence"),
        required=False,
        max_length=LONGEST_EVIDENCE,
        help_text=_(
            "What you saw, and where. A verdict that something did or did not happen takes it."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    say = forms.CharField(
        label=_("What to say"),
        required=False,
        max_length=following.LONGEST,
        help_text=_(
            "Needed to write to whom effects concern: these words stand in each message. "
            "Each message is shown to somebody who says yes to it."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    per_minute = forms.IntegerField(
        label=_("Runs a minute"),
        min_value=1,
        max_value=states.FASTEST_PER_MINUTE,
        initial=states.USUAL_PER_MINUTE,
        help_text=_("They go on at this rate, never all at once. It can be changed later."),
    )
    field_order = ("what", "reason", "evidence", "say", "per_minute")

    def __init__(self, *arguments: Any, kinds: Sequence[str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        offered = [choice for kind in kinds for choice in _choices(kind)]
        self.fields["what"].choices = offered  # type: ignore[attr-defined]
        if len(offered) == 1 or not self.is_bound:
            self.fields["what"].initial = offered[0][0]
        if "verdict" not in kinds:
            del self.fields["evidence"]
        if following.KIND.name not in kinds:
            del self.fields["say"]

    def clean_say(self) -> str:
        """Line breaks as messages have them, not as a browser sends them."""
        return str(self.cleaned_data["say"]).replace("\r\n", "\n").replace("\r", "\n")

    def draft(self, chosen: Chosen) -> Draft:
        """What is asked of `drafting`; only after `is_valid`."""
        given = self.cleaned_data
        kind, _sep, verdict = given["what"].partition(SEPARATOR)
        told = {**given, "verdict": verdict}
        terms = {name: told.get(name, "") for name in KINDS[kind].of_terms}
        return Draft(
            kind, given["reason"], chosen.about, chosen.targets, terms, given["per_minute"]
        )


def _choices(name: str) -> list[tuple[str, Offer]]:
    """A kind is one choice; the kind that gives verdicts is one for each of them."""
    kind = KINDS[name]
    if name != "verdict":
        return [(name, Offer(kind.title, kind.follows))]
    return [
        (f"{name}{SEPARATOR}{code}", Offer(choice.label, choice.follows))
        for code, choice in OFFERED.items()
    ]


class OrderForm(forms.Form):
    """An order: the digest as the page showed it, and where it starts, rate and typed number."""

    digest = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    typed = forms.IntegerField(label=_("Type the number"), required=False, min_value=0)
    per_minute = forms.IntegerField(
        label=_("Runs a minute"),
        required=False,
        min_value=1,
        max_value=states.FASTEST_PER_MINUTE,
    )
    why = forms.CharField(required=False, max_length=1_000)

    def order(self) -> Order:
        """What is asked of `ordering`; only after `is_valid`."""
        given = self.cleaned_data
        return Order(given["digest"], given["typed"], given["per_minute"], given["why"])


class ItemsForm(forms.Form):
    """The filter of a plan's items, and where its page begins. What cannot be read is not given."""

    result = forms.ChoiceField(
        required=False, choices=[(state, state) for state in states.ITEM_STATES]
    )
    code = forms.CharField(required=False, max_length=64)
    after = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def wanted(self) -> tuple[str, str, int]:
        """Result, code and the position after which the page begins."""
        self.is_valid()
        given = self.cleaned_data
        return given.get("result", ""), given.get("code", ""), given.get("after") or 0
