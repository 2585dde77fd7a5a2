"""What people type of a policy: named fields, judged as a whole by `policies.read`."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from canonical import json as canonical
from canonical.errors import CanonicalError
from checkpoints.arms import PLACES
from releases.charts import wording
from releases.gates import policies, twinning
from releases.gates.policies import BadPolicyError, Policy
from releases.usual import telling

Json = Any

LONGEST: Final = 20_000
LONGEST_WHY: Final = 1_000
OF_SHADOWS: Final = ("share", "share_of_canary", "drills")
CHANCES: Final = ("error", "most_unread", "ratio_error")
# What the margin of a measure is, where it is not how much worse the candidate may be.
MARGINS: Final[Mapping[str, Promise]] = {
    policies.COST: _("At most more, in %"),
    policies.DIVERGENCE: _("At most, in %"),
}
# A path of a policy and the field that it is typed into.
MEASURE: Final = re.compile(r"/measures/(\w+)(?:/(\w+))?$")


class Percent(forms.DecimalField):
    """A share in percent; how far it may go is the policy's own affair."""

    def __init__(self, *, decimals: int = 4, **options: Any) -> None:
        super().__init__(max_digits=decimals + 4, decimal_places=decimals, **options)


class PolicyForm(forms.Form):
    """All that a policy says. A measure without a least number is not judged."""

    on_stop = forms.ChoiceField(
        label=_("When a gate finds it worse"),
        choices=list(telling.OF_ITSELF.items()),
        widget=forms.RadioSelect,
    )
    on_unsafe = forms.ChoiceField(
        label=_("When a safety constraint is broken"),
        choices=list(telling.OF_ITSELF.items()),
        widget=forms.RadioSelect,
        help_text=_(
            "An effect arrived twice or went without an approval, what went out is not what was"
            " approved, another tenant was touched, or the audit chain is broken."
        ),
    )
    roll_back_people = forms.TypedChoiceField(
        label=_("A rollback is ordered by"),
        choices=list(telling.ORDER.items()),
        coerce=int,
        widget=forms.RadioSelect,
    )
    share = Percent(
        label=_("Live runs that get a shadow twin, in %"), decimals=2, min_value=0, max_value=100
    )
    share_of_canary = Percent(
        label=_("The same beside a canary, in %"), decimals=2, min_value=0, max_value=100
    )
    drills = Percent(
        label=_("Twins that are drills, in %"),
        decimals=2,
        min_value=0,
        max_value=100,
        help_text=_(
            "Their worker is killed once, so that recoveries are measured before any canary."
        ),
    )
    at_once = forms.IntegerField(
        label=_("Twins at work at a time, at most"), min_value=1, max_value=twinning.MOST_AT_ONCE
    )
    looks = forms.CharField(
        label=_("Looks"),
        max_length=LONGEST_WHY,
        help_text=_(
            "After how many ended runs of the candidate it is judged: growing numbers, with commas."
        ),
    )
    error = Percent(
        label=_("Chance of a wrong verdict, in %"),
        help_text=_("Over all looks of a measure together."),
    )
    most_unread = Percent(label=_("Facts that may be missing, in %"))
    ratio_error = Percent(
        label=_("Chance of calling arms not comparable that are, in %"),
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for name, words in wording.MEASURES.items():
            if name == policies.RECOVERY_DURATION:
                label = _("In time is within, in seconds")
                self.fields[f"{name}_within_seconds"] = forms.IntegerField(
                    label=label, required=False
                )
            if name != policies.DUPLICATES:
                margin = MARGINS.get(name, _("At most worse, in points"))
                self.fields[f"{name}_margin"] = Percent(label=str(margin), required=False)
            self.fields[f"{name}_least"] = forms.IntegerField(
                label=_("Least number of %(trials)s") % {"trials": words.trials},
                required=False,
            )

    def measures(self) -> Iterator[tuple[str, str, list[BoundField]]]:
        """Each measure: its title, what it says, and its fields."""
        for name, words in wording.MEASURES.items():
            own = [self[field] for field in self.fields if field.startswith(f"{name}_")]
            yield str(words.title), str(words.says), own

    def clean_looks(self) -> list[int]:
        """The numbers, as the policy keeps them."""
        found = []
        for each in re.split(r"[,\s]+", self.cleaned_data["looks"].strip(", \n")):
            if not each.isascii() or not each.isdecimal():
                said = now("“%(what)s” is no whole number; write them like 50, 100, 150.")
                raise forms.ValidationError(said % {"what": each})
            found.append(int(each))
        return found

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors:
            try:
                given["policy"] = policies.read(_document(given))
            except BadPolicyError as error:
                self.add_error(*_shown(error))
        return given

    def policy(self) -> Policy:
        """What was typed; only after `is_valid`."""
        found: Policy = self.cleaned_data["policy"]
        return found


class SayForm(forms.Form):
    """Exactly what the page showed, and why. `wanted` is JSON: a policy, or null to take it back."""

    wanted = forms.CharField(max_length=LONGEST, widget=forms.HiddenInput)
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
    why = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_WHY,
        help_text=_("A few words. They stand in the audit trail."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def clean_wanted(self) -> str:
        """The text; it is read once more by whoever says it."""
        text: str = self.cleaned_data["wanted"]
        read(text)
        return text


def read(text: str) -> Policy | None:
    """The policy of such a text; None: take it back. Raises ValidationError."""
    try:
        document = canonical.loads(text)
        return None if document is None else policies.read(document)
    except (BadPolicyError, CanonicalError) as error:
        said = now("This is not what the page showed; show the change again. (%(error)s)")
        raise forms.ValidationError(said % {"error": error}) from error


def typed(policy: Policy) -> dict[str, Any]:
    """A policy as the fields show it."""
    kept = policy.as_json()
    fields: dict[str, Any] = {name: getattr(policy, name) for name in policies.USUALLY}
    fields |= {name: telling.number(kept[name]) for name in CHANCES}
    fields["looks"] = ", ".join(map(str, policy.looks))
    twins = policy.shadows.as_json()
    fields |= {name: telling.number(twins[name] / PLACES) for name in OF_SHADOWS}
    fields["at_once"] = twins["at_once"]
    for name, demand in kept["measures"].items():
        for member, value in demand.items():
            is_share = member == "margin"
            fields[f"{name}_{member}"] = telling.number(value) if is_share else value
    return fields


def _document(given: Mapping[str, Any]) -> Json:
    twins = {name: int(given[name] * PLACES / telling.PERCENT) for name in OF_SHADOWS}
    found = {name: _measure(name, given) for name in wording.MEASURES}
    return {
        "version": policies.VERSION,
        **{name: given[name] for name in (*policies.USUALLY, "looks")},
        **{name: _share(given[name]) for name in CHANCES},
        "shadows": {**twins, "at_once": given["at_once"]},
        "measures": {name: measure for name, measure in found.items() if measure},
    }


def _measure(name: str, given: Mapping[str, Any]) -> dict[str, Json]:
    """What was typed of one measure; {} where nothing was: then it is not judged."""
    members = ("margin", "least", "within_seconds")
    typed = {member: given.get(f"{name}_{member}") for member in members}
    found = {member: each for member, each in typed.items() if each is not None}
    return found | ({"margin": _share(found["margin"])} if "margin" in found else {})


def _share(percent: Decimal) -> float:
    return float(percent / telling.PERCENT)


def _shown(error: BadPolicyError) -> tuple[str | None, str]:
    """The field of the member that is wrong, and what is wrong with it in the field's own unit."""
    path = error.path.strip("/").split("/")
    measure = MEASURE.match(error.path)
    if measure:
        field = f"{measure[1]}_{measure[2]}"
    else:
        field = path[-1] if path[0] == "shadows" else path[0]
    if field not in KNOWN:
        return None, str(error)
    if error.limits is not None:
        least, most = map(telling.number, error.limits)
        return field, now("It has to be from %(least)s to %(most)s.") % {
            "least": least,
            "most": most,
        }
    if error.problem == "is missing":
        return field, now("It is missing: say it, or leave every field of this measure empty.")
    return field, now("It %(problem)s.") % {"problem": error.problem}


KNOWN: Final = frozenset(PolicyForm().fields)
