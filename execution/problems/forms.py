"""What people say about a problem: for how long they put it off, in which combo it is resolved."""

from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from checkpoints import claims
from checkpoints.claims import PROBLEM
from execution.pages.forms import ReasonForm
from execution.problems import models
from execution.problems.changing import Snooze
from tenants.models import Tenant, User

HOURS: Final = {
    "": _("no time: only up to a rate"),
    "1": _("for 1 hour"),
    "4": _("for 4 hours"),
    "24": _("for 24 hours"),
    "168": _("for 7 days"),
}


class SnoozeForm(ReasonForm):
    """Put it off until a time, until a rate is passed, or until whichever comes first."""

    hours = forms.ChoiceField(label=_("How long"), required=False, choices=list(HOURS.items()))
    rate = forms.IntegerField(
        label=_("Or until more than so many runs in an hour"),
        required=False,
        min_value=0,
        max_value=1_000_000,
    )
    field_order = ("hours", "rate", "reason")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"initial": {"hours": "4"}, "prefix": "snooze", **options})

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if not found.get("hours") and found.get("rate") is None:
            self.add_error("hours", _("Say until when, or up to which rate."))
        return found

    def snooze(self, now: datetime) -> Snooze:
        """What was said; only after `is_valid`."""
        hours = self.cleaned_data["hours"]
        until = now + timedelta(hours=int(hours)) if hours else None
        return Snooze(until, self.cleaned_data["rate"])


class ChangeForm(ReasonForm):
    """Wake it, or call it resolved in one combo, or take that back; and why."""

    what = forms.ChoiceField(
        choices=[(each, each) for each in (models.WOKEN, models.RESOLVED, models.REOPENED)],
        widget=forms.HiddenInput,
    )
    combo = forms.IntegerField(required=False, widget=forms.HiddenInput)
    field_order = ("reason", "what", "combo")

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if found.get("what") in (models.RESOLVED, models.REOPENED) and not found.get("combo"):
            self.add_error("combo", _("Say in which combo."))
        return found


class ClaimForm(forms.Form):
    """Be at it, stay at it, let go of it, take it over from who is, or hand it to a colleague."""

    what = forms.ChoiceField(
        choices=[(each, each) for each in ("claim", "keep", "release", "take_over", "hand_over")],
        widget=forms.HiddenInput,
    )
    colleague = forms.ModelChoiceField(
        label=_("Colleague"), queryset=User.objects.none(), required=False
    )

    def __init__(self, *arguments: Any, tenant: Tenant, but: User, **options: Any) -> None:
        super().__init__(*arguments, **options)
        able = [each.pk for each in claims.who_can(tenant, PROBLEM) if each.pk != but.pk]
        colleagues = User.objects.filter(pk__in=able).order_by("name", "pk")
        self.fields["colleague"].queryset = colleagues  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if found.get("what") == "hand_over" and found.get("colleague") is None:
            self.add_error("colleague", _("Say to whom."))
        return found


class PlaceForm(forms.Form):
    """The place in the list of runs; what cannot be read is the newest page."""

    place = forms.IntegerField(min_value=1, max_value=2**62)

    def __init__(self, query: Any) -> None:
        super().__init__({"place": query.get("before")})

    def before(self) -> int | None:
        """The id below which the page begins."""
        return self.cleaned_data["place"] if self.is_valid() else None
