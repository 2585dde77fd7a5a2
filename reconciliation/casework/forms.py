"""What people post beside a verdict: a note, whom they wait for, to whom they hand over."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tenants.models import User

LONGEST: Final = 4000
LONGEST_PARTY: Final = 200


class NoteForm(forms.Form):
    """A note for whoever comes next."""

    text = forms.CharField(
        label=_("Note"),
        help_text=_("Everybody who sees this case reads it. It is kept as it is."),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("A note says something.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "note-%s", **kwargs})


class WaitForm(forms.Form):
    """For whom outside a case waits, and why."""

    party = forms.CharField(
        label=_("For whom"),
        help_text=_("Somebody outside, for example the support of the bank."),
        max_length=LONGEST_PARTY,
        error_messages={"required": _("Say for whom it waits.")},
    )
    why = forms.CharField(
        label=_("Why"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why it waits.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "outside-%s", **kwargs})


class HandOverForm(forms.Form):
    """Which colleague has it from now on, out of those who can decide it."""

    colleague = forms.TypedChoiceField(
        label=_("Colleague"),
        coerce=int,
        error_messages={
            "required": _("Choose a colleague."),
            "invalid_choice": _("This colleague cannot decide it any more: choose another."),
        },
    )
    note = forms.CharField(
        label=_("Note"),
        help_text=_("It stands among the notes of this case."),
        max_length=LONGEST,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, colleagues: Sequence[User], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "hand-over-%s", **kwargs})
        self.fields["colleague"].choices = [  # type: ignore[attr-defined]
            ("", _("Choose a person")),
            *((user.pk, str(user)) for user in colleagues),
        ]
