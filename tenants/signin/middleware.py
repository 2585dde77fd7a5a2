"""Pages are for people: credentials of programs are refused, a sign-in is needed, denials are kept."""

import logging
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from allauth.core.exceptions import ReauthenticationRequired
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tenants import wall
from tenants.actors import Actor
from tenants.audit import refuse
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User
from tenants.signin.views import confirmation_url, sign_in_ended

log = logging.getLogger(__name__)


# What programs show who they are with; a browser sends none of these to us by itself.
CREDENTIALS: Final = ("Authorization", "X-Api-Key", "X-Auth-Token")


class OwnTenantsOnly:
    """Before and after each request PostgreSQL shows no tenant's rows; `scope` says what in between.

    Stands before all that reads rows: connections are kept, and nothing of one request may be left
    for the next.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        wall.show_nothing()
        try:
            response = self.get_response(request)
        finally:
            view = wall.show_nothing()
        if view and isinstance(response, StreamingHttpResponse):
            content = cast(Iterator[bytes], response.streaming_content)  # nothing here is async
            response.streaming_content = wall.Stream(content, view)
        return response


class CredentialsAreRefused:
    """Refuses every request that carries a credential of a program, on every route.

    Stands before sessions in the list, so that no person, right or role is read first: a token
    that came with somebody's cookie would otherwise act with that person's rights.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        shown = next((name for name in CREDENTIALS if name in request.headers), None)
        if shown is None:
            return self.get_response(request)
        path = request.path_info.replace("\0", "")
        try:
            stranger = Actor.stranger(request.META.get("REMOTE_ADDR", ""))
            refuse(None, stranger, "use_credential", hiding.text(path), header=hiding.text(shown))
        except DatabaseError:
            # Refused all the same: the trail is away, and so is everything worth reading.
            log.warning("a credential in %s was refused; the trail cannot be written", shown)
        said = _("Pages are for people. A request with a credential (%(header)s) is refused: ")
        said += _("nothing was read, done or decided. Open the page in a browser and sign in.")
        return HttpResponse(said % {"header": shown}, status=403, content_type="text/plain")


class SignInRequired(LoginRequiredMiddleware):
    """Sends a person who opens a page to sign-in and back; stops everything else on the spot.

    A silent redirect of a POST would look as if the decision had been taken.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        to_sign_in = super().process_view(request, view_func, view_args, view_kwargs)
        if to_sign_in is None:
            return None
        if request.method not in {"GET", "HEAD"}:
            return sign_in_ended(request)
        if request.headers.get("HX-Boosted"):
            return HttpResponse(headers={"HX-Redirect": to_sign_in["Location"]})
        return sign_in_ended(request) if request.headers.get("HX-Request") else to_sign_in


class ConfirmationShowsThePage:
    """Sends a person who must confirm that it is them to do so, and then to the page, shown anew.

    allauth would store the refused POST with its headers and cookies, and replay it afterwards.
    Stands behind allauth's own middleware, so that it is asked first.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        if not isinstance(exception, ReauthenticationRequired):
            return None
        return redirect(confirmation_url(request, request.get_full_path()))


class DenialsAreAudited:
    """Writes a row for every `Denied`, after the transaction it ended; leaves the answer to others.

    Stands last in the list, so that it sees the exception before anybody turns it into a page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> None:
        if isinstance(exception, Denied) and isinstance(request.user, User):
            tenant = Tenant.objects.get(pk=exception.tenant_id)
            refuse(
                tenant,
                Actor.person(request.user),
                hiding.text(exception.permission),
                hiding.text(request.path_info.replace("\0", "")),
                method=hiding.text(request.method or ""),
            )
