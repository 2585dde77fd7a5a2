"""What a person says of a report: whose it is, when it is of, and what its columns mean."""

from datetime import UTC, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from checkpoints.registry import agents
from reconciliation.reports import columns as reading
from reconciliation.reports.columns import Columns
from reconciliation.reports.files import LARGEST_BYTES, Table
from reconciliation.reports.uploads import Upload

MINUTES = "%Y-%m-%dT%H:%M"
FORMATS = [MINUTES, "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"]
NOWHERE = ("", _("not in this report"))


def _moment(label: Any, help_text: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=MINUTES)
    return forms.DateTimeField(
        label=label, widget=widget, input_formats=FORMATS, help_text=help_text
    )


class UploadForm(forms.Form):
    """The provider's report of one tool, and the time it covers."""

    tool = forms.ChoiceField(label=_("Tool"))
    file = forms.FileField(
        label=_("Report of the provider"),
        help_text=_(
            "CSV or JSON, up to 5 MiB and 20,000 lines. Nothing is decided by uploading it."
        ),
    )
    since = _moment(_("Covers from (UTC)"), _("What was sent before is not expected in it."))
    until = _moment(
        _("Covers until (UTC)"), _("What may still have arrived after is not expected in it.")
    )

    def __init__(self, data: Any = None, files: Any = None, **options: Any) -> None:
        now = timezone.now().astimezone(UTC)
        initial = {"since": now - timedelta(days=1), "until": now} | options.pop("initial", {})
        super().__init__(data, files, initial=initial, **options)
        tool = self.fields["tool"]
        assert isinstance(tool, forms.ChoiceField)  # noqa: S101 - declared above
        tool.choices = [(name, name) for name in sorted(agents().TOOLS.by_name)]

    def clean_file(self) -> Any:
        """A file beyond the limit is not read into memory."""
        file = self.cleaned_data["file"]
        if file.size > LARGEST_BYTES:
            raise forms.ValidationError(
                _("The file has %(size)s bytes; up to %(most)s are read. Cut it into periods."),
                params={"size": f"{file.size:,}", "most": f"{LARGEST_BYTES:,}"},
            )
        return file

    def upload(self) -> Upload:
        """What was uploaded; only after `is_valid`."""
        given = self.cleaned_data
        return Upload(
            given["tool"], given["file"].name, given["file"].read(), given["since"], given["until"]
        )


class ColumnsForm(forms.Form):
    """Which column of a report says what: asked once for each tool."""

    reference = forms.ChoiceField(
        label=_("Our reference"),
        help_text=_("Where the provider gives back our action id or idempotency key."),
    )
    amount = forms.ChoiceField(label=_("Amount"), required=False)
    unit = forms.ChoiceField(
        label=_("Amounts are in"),
        choices=[
            (reading.MAJOR, _("whole units, as 12.30")),
            (reading.MINOR, _("smallest units, as 1230")),
        ],
    )
    decimal = forms.ChoiceField(
        label=_("Sign before the fraction"),
        choices=[(reading.POINT, _("a point")), (reading.COMMA, _("a comma"))],
    )
    currency = forms.ChoiceField(label=_("Currency"), required=False)
    only_currency = forms.RegexField(
        r"^[A-Z]{3}$",
        label=_("Currency of all lines"),
        required=False,
        help_text=_("Where the report has no column for it, as EUR."),
        error_messages={"invalid": _("Three capital letters, as EUR.")},
    )
    status = forms.ChoiceField(label=_("Status"), required=False)
    done = forms.CharField(
        label=_("Words of the status that mean it was done"),
        required=False,
        max_length=500,
        help_text=_("With commas between, as paid, settled. Every other word means it was not."),
    )
    at = forms.ChoiceField(label=_("Time"), required=False)

    def __init__(self, table: Table, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        names = [(name, name) for name in table.columns if name]
        for field in ("reference", "amount", "currency", "status", "at"):
            chosen = self.fields[field]
            assert isinstance(chosen, forms.ChoiceField)  # noqa: S101 - declared above
            chosen.choices = names if field == "reference" else [NOWHERE, *names]

    def columns(self) -> Columns:
        """What was said; only after `is_valid`."""
        given = self.cleaned_data
        words = tuple(word.strip() for word in given["done"].split(",") if word.strip())
        return Columns(**{**given, "done": words if given["status"] else ()})


def initial_of(columns: Columns) -> dict[str, Any]:
    """A mapping as the form shows it."""
    return columns.as_json() | {"done": ", ".join(columns.done)}
