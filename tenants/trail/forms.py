"""The filter of the audit page, from and to the address: what cannot be read is as if not given."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from tenants.trail.reading import Place, Wanted
from tenants.trail.rows import instant

NAMES = ("who", "verb", "subject", "since", "until")


class FilterForm(forms.Form):
    """Who, verb, subject and days; sent by a button, kept in the address."""

    who = forms.CharField(label=_("Who (name, e-mail, process)"), required=False, max_length=200)
    verb = forms.ChoiceField(label=_("Verb"), required=False)
    subject = forms.CharField(label=_("Subject or id"), required=False, max_length=200)
    since = forms.DateField(
        label=_("From day (UTC)"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    until = forms.DateField(
        label=_("To day (UTC)"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    before = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)

    def __init__(self, query: QueryDict, verbs: list[str]) -> None:
        super().__init__(query.dict(), auto_id="audit-%s")
        words = [(verb, words_of(verb)) for verb in verbs]
        self.fields["verb"].choices = [("", _("every verb")), *words]  # type: ignore[attr-defined]

    def wanted(self) -> Wanted:
        """What was asked for, field by field."""
        self.is_valid()
        given = self.cleaned_data
        until = given.get("until")
        return Wanted(
            who=_plain(given.get("who")),
            verb=given.get("verb") or "",
            subject=_plain(given.get("subject")),
            since=_midnight(given.get("since")),
            until=_midnight(until + timedelta(days=1)) if until else None,
            before=_place(given.get("before") or ""),
        )


def words_of(verb: str) -> str:
    """A verb as pages say it."""
    return verb.replace("_", " ")


def written(place: Place) -> str:
    """A place as it stands in an address."""
    return f"{instant(place.at)}~{place.audit_id}"


def _place(text: str) -> Place | None:
    at, _sign, audit_id = text.rpartition("~")
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    if moment.tzinfo is None or not audit_id.isdecimal() or len(audit_id) > 18:  # noqa: PLR2004 - fits bigint
        return None
    return Place(moment, int(audit_id))


def _midnight(day: Any) -> datetime | None:
    return datetime.combine(day, time(), UTC) if day else None


def _plain(text: str | None) -> str:
    return (text or "").replace("\0", "").strip()
