"""*Decide and next*: with which filter of the inbox somebody goes on, carried from page to page."""

import re
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest
from django.urls import reverse

from tenants.models import Tenant

ALL: Final = "1"
NOT: Final = ("", "False")
WORD: Final = re.compile(r"[a-z_]{1,32}")


def of(request: HttpRequest) -> str:
    """The filter to go on with, `ALL` for none; "" when this person stays where they are."""
    return word(request.POST.get("onward") or request.GET.get("onward", ""))


def word(given: str) -> str:
    """The same of a word in an address or a form."""
    if given in NOT:
        return ""
    return given if WORD.fullmatch(given) and given != "on" else ALL


def of_kind(request: HttpRequest) -> str:
    """The filter of the page that leads to the next one."""
    given = request.GET.get("kind", "")
    return given if WORD.fullmatch(given) else ALL


def url(tenant: Tenant, onward: str, *, after: UUID | None = None) -> str:
    """Where the next one is found."""
    kind = "" if onward in ("", ALL) else onward
    query = {name: str(value) for name, value in (("kind", kind), ("after", after)) if value}
    found = reverse("inbox_next", args=[tenant.slug])
    return f"{found}?{urlencode(query)}" if query else found


class OnwardField(forms.CharField):
    """Hidden, not a box to tick: Enter on a box would press the first button that is not disabled."""

    widget = forms.HiddenInput

    def __init__(self) -> None:
        super().__init__(required=False, max_length=32)

    def clean(self, value: str | None) -> str:
        """What `of` says of it."""
        return word(super().clean(value))
