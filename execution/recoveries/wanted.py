"""Which recoveries a person wants to see; the whole filter lives in the address of the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext_lazy as _

from checkpoints.registry import agents

# How many stretches are shown, and how long each is.
PERS: Final[Mapping[str, tuple[int, timedelta]]] = {
    "day": (30, timedelta(days=1)),
    "hour": (48, timedelta(hours=1)),
}
# What lies beyond cannot be counted with.
YEARS: Final = range(1970, 9999)
# What a statement asks of `run` and `combo` for it.
OF_RUN: Final = """run.mode = 'live'
   AND (%(task_type)s::text = '' OR run.task_type = %(task_type)s::text)
   AND starts_with(encode(combo.digest, 'hex'), %(combo)s::text)"""


@dataclass(frozen=True)
class Wanted:
    """`at` is the beginning of the one stretch that is listed; None lists all."""

    per: str = "day"
    task_type: str = ""
    combo: str = ""
    at: datetime | None = None

    def address(self, at: datetime | None = None) -> str:
        """The address of the same page for one stretch."""
        told = {"per": self.per, "task_type": self.task_type, "combo": self.combo}
        if at is not None:
            told["at"] = at.isoformat()
        return "?" + urlencode({name: value for name, value in told.items() if value})

    def starts(self, now: datetime) -> list[datetime]:
        """When each stretch that is shown begins, oldest first."""
        count, step = PERS[self.per]
        last = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        if self.per == "day":
            last = last.replace(hour=0)
        return [last - step * back for back in range(count - 1, -1, -1)]

    def values(self, now: datetime) -> dict[str, Any]:
        """The filter and the whole time shown, as values of a statement."""
        return {
            "per": self.per,
            "task_type": self.task_type,
            "combo": self.combo,
            "since": self.starts(now)[0],
            "until": now + timedelta(days=1),
        }

    def values_listed(self, now: datetime) -> dict[str, Any]:
        """The same, of the one stretch that is asked for, if one is."""
        if self.at is None:
            return self.values(now)
        _count, step = PERS[self.per]
        return self.values(now) | {"since": self.at, "until": self.at + step}


class WantedForm(forms.Form):
    """What a person may ask for; what is no answer to it counts as not asked."""

    per = forms.ChoiceField(
        label=_("Per"),
        required=False,
        choices=[("day", _("day, the last 30")), ("hour", _("hour, the last 48"))],
    )
    task_type = forms.ChoiceField(label=_("Task type"), required=False)
    combo = forms.RegexField(
        r"^[0-9a-f]{1,64}$", label=_("Combo begins with"), required=False, max_length=64
    )
    at = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        task_type = self.fields["task_type"]
        assert isinstance(task_type, forms.ChoiceField)  # noqa: S101 - declared above
        task_type.choices = [("", _("every")), *((name, name) for name in sorted(agents().GRAPHS))]

    def wanted(self) -> Wanted:
        """The filter; members that are none are left out."""
        self.is_valid()
        told = {name: value for name, value in self.cleaned_data.items() if value}
        at = _moment(told.pop("at", ""))
        return Wanted(**told, at=at)


def _moment(said: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(said)
    except ValueError:
        return None
    return at if at.tzinfo is not None and at.year in YEARS else None
