"""What people choose on the page of problems by combo: the task type, and the combos that are compared."""

from collections.abc import Sequence

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from checkpoints.models import Combo
from checkpoints.pages.forms import task_types
from releases.matrix.reading import MOST_COMBOS


def task_of(query: QueryDict) -> str:
    """The task type that is asked for; the first one where none is."""
    names = [name for name, _title in task_types()]
    given = query.get("task", "")
    return given if given in names else next(iter(names), "")


class ChoiceForm(forms.Form):
    """The task type and its combos. What it cannot read is as if it were not given: the newest."""

    task = forms.ChoiceField(label=_("Task"), required=False)
    combo = forms.MultipleChoiceField(
        label=_("Combos, at most %(most)d") % {"most": MOST_COMBOS}, required=False
    )

    def __init__(self, query: QueryDict, combos: Sequence[Combo]) -> None:
        self.task_type = task_of(query)
        known = {str(combo.pk): str(combo) for combo in combos}
        given = [each for each in query.getlist("combo") if each in known][:MOST_COMBOS]
        self.chosen = [int(each) for each in given or list(known)[:MOST_COMBOS]]
        super().__init__({"task": self.task_type, "combo": [str(each) for each in self.chosen]})
        self.fields["task"].choices = task_types()  # type: ignore[attr-defined]
        self.fields["combo"].choices = list(known.items())  # type: ignore[attr-defined]
