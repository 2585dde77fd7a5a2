"""What people choose on the pages of combos: of which task type, and which two to compare."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from checkpoints.pages.forms import task_types
from releases.combos.reading import Listed


class WhichForm(forms.Form):
    """The task type. What it cannot read is as if it were not given: the first."""

    task = forms.ChoiceField(label=_("Task"), required=False)

    def __init__(self, query: QueryDict) -> None:
        known = task_types()
        names = [name for name, _title in known]
        given = query.get("task", "")
        self.task_type = given if given in names else next(iter(names), "")
        super().__init__({"task": self.task_type})
        self.fields["task"].choices = known  # type: ignore[attr-defined]


class AgainstForm(forms.Form):
    """Two combos of a task type: the one before, and the one after."""

    old = forms.ChoiceField(label=_("Before"))
    new = forms.ChoiceField(label=_("After"))

    def __init__(self, rows: Sequence[Listed], data: Any = None) -> None:
        super().__init__(data)
        choices = [(row.digest, _named(row)) for row in rows]
        for field in (self.fields["old"], self.fields["new"]):
            field.choices = choices  # type: ignore[attr-defined]
        if data is None and len(rows) > 1:
            self.initial = {"old": rows[1].digest, "new": rows[0].digest}


def _named(row: Listed) -> str:
    names = ", ".join(name or str(_("its own files")) for name in row.variants)
    return f"{row.combo} · {names}" if names else str(row.combo)
