"""What people type of a release: the candidate, a move with its shares in percent, and an order."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from checkpoints.arms import PLACES
from checkpoints.models import Combo
from releases.beginning import Candidate
from releases.gates import standing
from releases.moving import Wanted
from releases.pages import telling

LONGEST_WHY = 1_000
PERCENT = PLACES // 100


class BeginForm(forms.Form):
    """A candidate among the combos that were registered, and what is stable where nothing tells."""

    candidate = forms.ChoiceField(label=_("Candidate"))
    stable = forms.ChoiceField(
        label=_("Instead of"),
        required=False,
        help_text=_("What new runs get now. Needed only where no run and no release tells."),
    )
    why = forms.CharField(
        label=_("What is better about it"), max_length=LONGEST_WHY, widget=forms.Textarea
    )

    def __init__(self, combos: dict[str, Combo], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.combos = combos
        choices = [(digest, f"{combo.task_type} {combo}") for digest, combo in combos.items()]
        self.fields["candidate"].choices = choices  # type: ignore[attr-defined]
        self.fields["stable"].choices = [("", _("what runs now")), *choices]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        candidate, stable = (
            self.combos.get(given.get(name, "")) for name in ("candidate", "stable")
        )
        if candidate and stable and candidate.task_type != stable.task_type:
            self.add_error("stable", _("It is of another task."))
        return given

    def wanted(self) -> Candidate:
        """What is asked of `beginning`; only after `is_valid`."""
        given = self.cleaned_data
        stable = self.combos.get(given["stable"])
        return Candidate(self.combos[given["candidate"]], given["why"], stable=stable)


class Percent(forms.DecimalField):
    """A share in percent, with two decimals at most."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False,
            min_value=Decimal(0),
            max_value=Decimal(100),
            decimal_places=2,
            **options,
        )


class MoveForm(forms.Form):
    """The next move of a release, among those that lead on from where it stands."""

    kind = forms.ChoiceField(label=_("Move"), widget=forms.RadioSelect)
    share = Percent(
        label=_("Share of runs that are not critical, in %"),
        help_text=_("For a canary: how many of 100 business keys. It can only grow."),
    )
    share_of_critical = Percent(label=_("Share of critical runs, in %"))
    why = forms.CharField(label=_("Why now"), max_length=LONGEST_WHY, widget=forms.Textarea)

    def __init__(self, kinds: list[str], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["kind"].choices = [(kind, telling.follows(kind)) for kind in kinds]  # type: ignore[attr-defined]
        if standing.WIDEN not in kinds:
            del self.fields["share"], self.fields["share_of_critical"]

    def wanted(self) -> Wanted:
        """What is asked of `moving`; only after `is_valid`."""
        given = self.cleaned_data
        if given["kind"] != standing.WIDEN:
            return Wanted(given["kind"], given["why"])
        shares = [int((given[name] or 0) * PERCENT) for name in ("share", "share_of_critical")]
        return Wanted(given["kind"], given["why"], *shares)


class OrderForm(forms.Form):
    """The move that the page showed, and its digest."""

    move = forms.UUIDField(widget=forms.HiddenInput)
    digest = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
