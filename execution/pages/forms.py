"""What people type on these pages: checkpoint numbers, reasons, what is to be stopped."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy as _

from checkpoints import liftings
from checkpoints.models import Run
from checkpoints.models.stop import FASTEST_PER_MINUTE
from checkpoints.pages.history import Step
from checkpoints.scopes import Scope
from execution.pages import stopscopes
from execution.pages.stopscopes import Group
from tenants.models import Tenant

LONGEST_REASON = 1_000


class SeqForm(forms.Form):
    """The place of a page in a list; what cannot be read is the newest page."""

    seq = forms.IntegerField(min_value=0, max_value=2**62)

    def __init__(self, query: Any) -> None:
        super().__init__({"seq": query.get("before")})

    def before(self) -> int | None:
        """The number below which the page begins."""
        return self.cleaned_data["seq"] if self.is_valid() else None


class DifferenceForm(forms.Form):
    """Two checkpoints to be compared; 0 is the beginning of the run."""

    old = forms.IntegerField(label=_("From checkpoint"), min_value=0)
    new = forms.IntegerField(label=_("To checkpoint"), min_value=0)

    def __init__(self, *arguments: Any, head: int, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for field in self.fields.values():
            field.max_value = head  # type: ignore[attr-defined]
            field.validators.append(MaxValueValidator(head))
            field.widget.attrs["max"] = head

    @classmethod
    def for_run(cls, run: Run, steps: Sequence[Step]) -> "DifferenceForm":
        """The form as it stands beside a list: the newest step of the page, and the one before."""
        newest = steps[0].seq if steps else run.head
        return cls(head=run.head, initial={"old": max(newest - 1, 0), "new": newest})

    def pair(self) -> tuple[int, int]:
        """The two numbers; only after `is_valid`."""
        return self.cleaned_data["old"], self.cleaned_data["new"]


class ReasonForm(forms.Form):
    """Why a person does it; it stands in the audit trail."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("A few words. They stand in the audit trail."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class StopForm(ReasonForm):
    """What is to be stopped, and why; the button pressed says which lock."""

    where = forms.ChoiceField(label=_("What"), required=False)
    lock = forms.ChoiceField(choices=[("effects", "effects"), ("new_runs", "new runs")])

    def __init__(self, *arguments: Any, choices: Sequence[Group], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["where"].choices = choices  # type: ignore[attr-defined]

    def chosen(self, asked: str) -> str:
        """What the page is about: as posted, else as asked for, else all of this tenant."""
        value = self.data.get("where") or asked
        known = self.fields["where"].valid_value(value)  # type: ignore[attr-defined]
        return value if known else stopscopes.HERE

    def scope(self, tenant: Tenant) -> Scope:
        """What is to be stopped; only after `is_valid`."""
        return stopscopes.scope_of(self.cleaned_data["where"] or stopscopes.HERE, tenant)


class LiftForm(ReasonForm):
    """Why a stop may be lifted, and how many runs a minute go on then."""

    pace = forms.IntegerField(
        label=_("Runs a minute"),
        min_value=1,
        max_value=FASTEST_PER_MINUTE,
        initial=liftings.USUAL_PER_MINUTE,
        help_text=_("What waits for the stop goes on at this pace, never all at once."),
    )
