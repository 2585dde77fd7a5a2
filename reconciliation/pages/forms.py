"""What people post about a case: one verdict, why, and on what evidence."""

import hashlib
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from reconciliation.verdicts import Choice, Given, Seen

LONGEST = 8000
LONGEST_LINE = 500
LARGEST_FILE = 50 * 1024 * 1024
WHERE = ("reference", "link", "file", "said_by")


class VerdictForm(forms.Form):
    """The form of one verdict: it asks for what that verdict needs, and for nothing else."""

    # Evidence may be words, or a reference, a link or a file: which of them, the server judges.
    use_required_attribute = False

    evidence = forms.CharField(
        label=_("Evidence"),
        help_text=_("What you saw, where, and when: for example the id in the provider's log."),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Say what you saw and where: this verdict needs evidence.")},
    )
    reference = forms.CharField(
        label=_("Reference of the provider"), max_length=LONGEST_LINE, required=False
    )
    link = forms.URLField(
        label=_("Link to what you saw"),
        max_length=2000,
        required=False,
        assume_scheme="https",
        error_messages={"invalid": _("A link begins with https:// and has no blanks.")},
    )
    file = forms.FileField(
        label=_("File with the evidence"),
        help_text=_(
            "It is not kept: only its name and its SHA-256, so that it can be known again."
        ),
        required=False,
    )
    said_by = forms.CharField(label=_("Who says so"), max_length=LONGEST_LINE, required=False)
    seq = forms.IntegerField(
        label=_("Checkpoint to go on from"),
        min_value=0,
        max_value=2**53,
        error_messages={"required": _("Name the checkpoint to go on from.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why: a verdict needs a reason.")},
    )

    def __init__(self, choice: Choice, data: Any = None, files: Any = None, **options: Any) -> None:
        super().__init__(data, files, auto_id=f"{choice.verdict}-%s", **options)
        self.choice = choice
        named = [(data or {}).get(name) or (files or {}).get(name) for name in WHERE[:3]]
        self.fields["evidence"].required = not any(named)
        if not choice.needs_evidence:
            for name in ("evidence", *WHERE):
                del self.fields[name]
        if not choice.needs_seq:
            del self.fields["seq"]

    @property
    def words(self) -> list[BoundField]:
        """The fields that are always open."""
        return [field for field in self if field.name not in WHERE]

    @property
    def where(self) -> list[BoundField]:
        """Where the evidence was seen: asked for in a part of its own."""
        return [field for field in self if field.name in WHERE]

    @property
    def where_is_open(self) -> bool:
        """Whether something was written or is wrong there."""
        return any(field.errors or field.value() for field in self.where)

    def clean_file(self) -> "UploadedFile[Any] | None":
        """A file whose digest is worth having: not endless."""
        found: UploadedFile[Any] | None = self.cleaned_data.get("file")
        if found is not None and (found.size or 0) > LARGEST_FILE:
            raise forms.ValidationError(_("This file is larger than 50 MB; give its reference."))
        return found

    def clean(self) -> dict[str, Any]:
        """Evidence, in whatever form, where this verdict needs some."""
        cleaned: dict[str, Any] = self.cleaned_data
        if self.choice.needs_evidence and not self.errors and not self.given().is_proven:
            said = _("Say what you saw and where: this verdict needs evidence.")
            self.add_error("evidence", said)
        return cleaned

    def given(self) -> Given:
        """What was decided, of a form that is valid."""
        cleaned = self.cleaned_data
        file: UploadedFile[Any] | None = cleaned.get("file")
        seen = Seen(
            reference=cleaned.get("reference", ""),
            link=cleaned.get("link", ""),
            file_digest=_digest(file) if file is not None else "",
            file_name=str(file.name)[:LONGEST_LINE] if file is not None else "",
            said_by=cleaned.get("said_by", ""),
        )
        return Given(
            self.choice.verdict,
            cleaned.get("reason", ""),
            evidence=cleaned.get("evidence", ""),
            seq=cleaned.get("seq"),
            seen=seen,
        )


class ReasonForm(forms.Form):
    """Why something is taken back or not agreed to."""

    reason = forms.CharField(
        label=_("Reason"), max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, data: Any = None, *, of: str, required: bool = True) -> None:
        super().__init__(data, auto_id=f"{of}-%s")
        self.fields["reason"].required = required
        if not required:
            self.fields["reason"].label = _("Reason, if you do not agree")


def _digest(file: "UploadedFile[Any]") -> str:
    found = hashlib.sha256()
    for chunk in file.chunks():
        found.update(chunk)
    file.seek(0)
    return found.hexdigest()
