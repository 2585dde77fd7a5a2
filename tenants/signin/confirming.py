"""The way to confirm that it is you in the middle of something, and back with what was typed.

What was written is kept in the session, never what was pressed: the page is shown anew, and
pressed anew.
"""

from collections.abc import Mapping
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django_htmx.http import HttpResponseClientRedirect

from tenants.signin.views import confirmation_url

DRAFT: Final = "confirming.draft"


def send(
    request: HttpRequest, page: str, *, written: Mapping[str, str], fragment: bool = False
) -> HttpResponse:
    """Keep what was written, and lead to where the person confirms that it is them; then to `page`.

    `page` is a path of this site, perhaps with a place on it ("#stop-7").
    """
    keep(request, page, written)
    url = confirmation_url(request, page)
    return HttpResponseClientRedirect(url) if fragment else redirect(url)


def keep(request: HttpRequest, page: str, written: Mapping[str, str]) -> None:
    """Keep what was written on a page until it is done, for whoever is led away from it and back."""
    request.session[DRAFT] = {"page": _key(page), "written": dict(written)}


def draft(request: HttpRequest, page: str) -> dict[str, str]:
    """What was written on this page before confirming, {} when there is nothing of this page."""
    kept = request.session.get(DRAFT, {})
    return dict(kept["written"]) if kept.get("page") == _key(page) else {}


def forget(request: HttpRequest) -> None:
    """Nothing is kept once it is done."""
    request.session.pop(DRAFT, None)


def _key(page: str) -> str:
    return page.partition("#")[0]
