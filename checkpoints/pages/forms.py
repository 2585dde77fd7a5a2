"""What people type on the pages of the record: the filter of the list, and a run to be started."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from checkpoints import states
from checkpoints.asked import INPUT_LIMIT_BYTES, LONGEST_KEY, Request
from checkpoints.pages.runlist import USUAL_WINDOW, WINDOWS, RunFilter
from checkpoints.registry import agents

WINDOW_WORDS = {
    "24h": _("started in the last 24 hours"),
    "7d": _("started in the last 7 days"),
    "30d": _("started in the last 30 days"),
    "all": _("started at any time"),
}
CHANNEL = "console"


def task_types() -> list[tuple[str, str]]:
    """Each task type of this installation with its title."""
    return [(name, graph.title) for name, graph in sorted(agents().GRAPHS.items())]


def title_of(task_type: str) -> str:
    """The title of a task type; one that this installation no longer runs keeps its name."""
    return dict(task_types()).get(task_type, task_type)


class FilterForm(forms.Form):
    """The filter of the list of runs. What it cannot read is as if it were not given."""

    task_type = forms.ChoiceField(label=_("Task"), required=False)
    window = forms.ChoiceField(
        label=_("Time"), required=False, choices=[(key, WINDOW_WORDS[key]) for key in WINDOWS]
    )
    text = forms.CharField(label=_("Business key begins with"), required=False, max_length=200)
    status = forms.ChoiceField(
        required=False,
        choices=[(status, status) for status in states.STATUSES],
        widget=forms.HiddenInput,
    )
    before = forms.UUIDField(required=False, widget=forms.HiddenInput)
    after = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, query: QueryDict) -> None:
        given = query.dict()
        if given.get("window") not in WINDOWS:
            given["window"] = USUAL_WINDOW
        super().__init__(given)
        self.fields["task_type"].choices = [("", _("every task")), *task_types()]  # type: ignore[attr-defined]

    def wanted(self) -> RunFilter:
        """What was asked for, field by field."""
        self.is_valid()
        given = self.cleaned_data
        before: UUID | None = given.get("before")
        after: UUID | None = given.get("after")
        return RunFilter(
            status=given.get("status", ""),
            task_type=given.get("task_type", ""),
            text=given.get("text", ""),
            window=given.get("window") or USUAL_WINDOW,
            before=before,
            after=None if before else after,
        )


@dataclass(frozen=True)
class Draft:
    """What the form starts with when a run is to be like an earlier one."""

    task_type: str = ""
    input: str = "{}"
    on_behalf_of: str = ""


class StartForm(forms.Form):
    """A run to be started. The input is judged by the record, in one place, not here."""

    task_type = forms.ChoiceField(label=_("Task"))
    business_key = forms.CharField(
        label=_("Business key"),
        max_length=LONGEST_KEY,
        help_text=_(
            "What makes this work the same work. The same key with the same input is the same run:"
            " pressing twice starts it once."
        ),
    )
    input = forms.CharField(
        label=_("Input"),
        strip=False,
        max_length=INPUT_LIMIT_BYTES,
        help_text=_("A JSON object. What the task accepts is shown beside this form."),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "code"}),
    )
    on_behalf_of = forms.CharField(
        label=_("On behalf of"),
        required=False,
        max_length=200,
        help_text=_(
            "The e-mail address of whom it is for, if not for you. They cannot approve it."
        ),
    )
    goes_first = forms.ChoiceField(
        label=_("When a new version is tried"),
        required=False,
        choices=[
            ("", _("This run is critical: others go first")),
            ("yes", _("This run is not critical: it may be among the first")),
        ],
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["task_type"].choices = task_types()  # type: ignore[attr-defined]

    def request(self) -> Request:
        """What is asked of the engine; only after `is_valid`."""
        given = self.cleaned_data
        return Request(
            given["task_type"],
            given["business_key"],
            given["input"],
            channel=CHANNEL,
            on_behalf_of=given["on_behalf_of"],
            critical=not given["goes_first"],
        )
