"""What people choose and say when they fork a run."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from checkpoints.models import Combo, Run
from execution.forks.making import Wanted
from execution.pages.forms import ReasonForm
from tenants.keys import hiding

MOST_AGAIN = 100


class UUIDs(forms.MultipleChoiceField):
    """Ids of effects; what is no id is refused."""

    def validate(self, value: Sequence[str]) -> None:
        if len(value) > MOST_AGAIN:
            raise forms.ValidationError(_("Too many effects at once."))
        for each in value:
            try:
                UUID(each)
            except ValueError:
                raise forms.ValidationError(_("This is no effect.")) from None


class ChoiceForm(forms.Form):
    """From where, onto what, and what is to be done again. What cannot be read is as not given."""

    seq = forms.IntegerField(min_value=0, required=False)
    combo = forms.CharField(max_length=64, required=False)
    again = UUIDs(required=False)
    withdraws = forms.BooleanField(required=False)
    chosen = forms.BooleanField(required=False)

    def __init__(self, query: QueryDict, *, run: Run) -> None:
        super().__init__(query)
        self.run = run
        self.is_valid()

    @property
    def at(self) -> int | None:
        """The checkpoint, None when none was named, or one that there is not."""
        seq: int | None = self.cleaned_data.get("seq")
        return seq if seq is not None and seq <= self.run.head else None

    @property
    def effects(self) -> frozenset[UUID]:
        """The effects to be done again on purpose."""
        return frozenset(UUID(each) for each in self.cleaned_data.get("again", ()))

    def leaves_to_fork(self, *, usually: bool) -> bool:
        """Whether the source's unsent proposal is withdrawn; before anybody chose, as is usual."""
        return bool(self.cleaned_data["withdraws"]) if self.cleaned_data.get("chosen") else usually


class ForkForm(ReasonForm):
    """The fork that was previewed, and why. All but the reason was chosen before."""

    seq = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    combo = forms.CharField(max_length=64, widget=forms.HiddenInput)
    again = UUIDs(required=False, widget=forms.MultipleHiddenInput)
    withdraws = forms.BooleanField(required=False, widget=forms.HiddenInput)
    token = forms.UUIDField(widget=forms.HiddenInput)
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)

    @classmethod
    def of(cls, wanted: dict[str, Any]) -> "ForkForm":
        """The form of a preview that nobody has answered yet."""
        return cls(initial={**wanted, "token": uuid4()})

    def wanted(self, combos: Sequence[Combo]) -> Wanted:
        """What is asked for; only after `is_valid`. Raises `Combo.DoesNotExist`."""
        given = self.cleaned_data
        named = [combo for combo in combos if combo.hex == given["combo"]]
        if not named:
            raise Combo.DoesNotExist
        return Wanted(
            seq=given["seq"],
            reason=hiding.text(given["reason"]),
            token=given["token"],
            combo=named[0],
            seen=given["seen"],
            again=frozenset(UUID(each) for each in given["again"]),
            withdraws=given["withdraws"],
        )
