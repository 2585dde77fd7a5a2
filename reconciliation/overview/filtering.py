"""Which effects a person wants to see; the whole filter lives in the address of the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django import forms
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from approvals.models import Approval, Decision
from reconciliation import states
from reconciliation.models import Action
from reconciliation.undone import BY_ANOTHER, COMPENSATED

DAY: Final = timedelta(days=1)
WINDOWS: Final = {"24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, "all": None}
USUAL: Final = "7d"
NOBODY_KNOWS: Final = "nobody_knows"
PERSON, RULE, NOBODY = "person", "rule", "nobody"
STANDINGS: Final[Mapping[str, tuple[str | Promise, Q]]] = {
    NOBODY_KNOWS: (_("Nobody knows"), Q(stands=states.DISPATCHED)),
    states.HAPPENED: (_("Happened, and stands"), Q(outcome=states.HAPPENED) & ~Q(BY_ANOTHER)),
    COMPENSATED: (_("Compensated"), Q(BY_ANOTHER)),
    states.DID_NOT_HAPPEN: (_("Did not happen"), Q(outcome=states.DID_NOT_HAPPEN)),
    states.REFUSED: (_("Refused by the tool"), Q(outcome=states.REFUSED)),
    states.WRITTEN_OFF: (_("Written off"), Q(outcome=states.WRITTEN_OFF) & ~Q(BY_ANOTHER)),
    states.PROPOSED: (_("Proposed, not sent"), Q(stands=states.PROPOSED)),
}
# Index: one_decision_per_person_and_request begins with the request, approvals' key is the request.
SAID_YES: Final = Decision.objects.filter(
    request__action_id=OuterRef("pk"), verdict="approve", taken_back=None
)
BY_RULE: Final = Approval.objects.filter(request__action_id=OuterRef("pk")).exclude(rule="")


@dataclass(frozen=True)
class Wanted:
    """`before` is the last effect of the page before; "" and None ask for everything."""

    tool: str = ""
    standing: str = ""
    approved_by: str = ""
    who: str = ""
    combo: str = ""
    target: str = ""
    window: str = USUAL
    before: UUID | None = None

    @property
    def chooses(self) -> bool:
        """Whether it says more than since when: what is meant by a plan."""
        told = (self.tool, self.standing, self.approved_by, self.who, self.combo, self.target)
        return any(told)

    @property
    def narrows(self) -> bool:
        """Whether any effect may be hidden by it."""
        return self.chooses or self.window != "all"

    def of(self, looked_at: QuerySet[Action]) -> QuerySet[Action]:
        """Those of the effects looked at that are wanted."""
        found = looked_at
        if self.tool:
            found = found.filter(tool=self.tool)
        if self.standing:
            found = found.filter(STANDINGS[self.standing][1])
        if self.target:
            found = found.filter(target__icontains=self.target)
        if self.combo:
            found = found.filter(run__combo__digest__gte=_from(self.combo)).filter(
                run__combo__digest__lt=_until(self.combo)
            )
        return self._approved(found)

    def _approved(self, found: QuerySet[Action]) -> QuerySet[Action]:
        if self.who:
            by = SAID_YES.filter(user__email__iexact=self.who)
            found = found.filter(Exists(by) | Exists(BY_RULE.filter(rule=self.who)))
        if self.approved_by == PERSON:
            return found.filter(Exists(SAID_YES))
        if self.approved_by == RULE:
            return found.filter(Exists(BY_RULE), ~Exists(SAID_YES))
        if self.approved_by == NOBODY:
            return found.filter(~Exists(BY_RULE), ~Exists(SAID_YES))
        return found


class FilterForm(forms.Form):
    """What a person may ask for; what is no answer to it counts as not asked."""

    tool = forms.ChoiceField(label=_("Tool"), required=False)
    standing = forms.ChoiceField(
        label=_("Outcome"),
        required=False,
        choices=[("", _("any")), *((code, word) for code, (word, _q) in STANDINGS.items())],
    )
    approved_by = forms.ChoiceField(
        label=_("Allowed by"),
        required=False,
        choices=[
            ("", _("anybody")),
            (PERSON, _("a person")),
            (RULE, _("a rule alone")),
            (NOBODY, _("nobody yet")),
        ],
    )
    who = forms.CharField(label=_("Person or rule"), required=False, max_length=254)
    combo = forms.RegexField(
        r"^[0-9a-fA-F]{1,64}$", label=_("Combo begins with"), required=False, max_length=64
    )
    target = forms.CharField(label=_("Target has"), required=False, max_length=200)
    window = forms.ChoiceField(
        label=_("Proposed in"),
        required=False,
        choices=[
            ("24h", _("the last day")),
            ("7d", _("the last week")),
            ("30d", _("the last month")),
            ("all", _("all time")),
        ],
    )
    before = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, tools: list[str], data: Any = None) -> None:
        super().__init__(data)
        tool = self.fields["tool"]
        assert isinstance(tool, forms.ChoiceField)  # noqa: S101 - declared above
        tool.choices = [("", _("every")), *((name, name) for name in tools)]

    def wanted(self) -> Wanted:
        """The filter; members that are none are left out."""
        self.is_valid()
        told = {name: value for name, value in self.cleaned_data.items() if value}
        return Wanted(**told)


def _from(digits: str) -> bytes:
    return bytes.fromhex(digits.ljust(64, "0"))


def _until(digits: str) -> bytes:
    """Just behind every digest that begins so; 65 bytes for those that begin with f alone."""
    behind = int(digits.ljust(64, "f"), 16) + 1
    return behind.to_bytes(33)[-32:] if behind < 16**64 else b"\xff" * 33
