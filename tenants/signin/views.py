"""Pages for getting in that allauth does not have, or not as we need them."""

from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import LoginView, password_change
from allauth.mfa.totp.views import activate_totp
from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from canonical.redaction import ours
from tenants.actors import Actor
from tenants.audit import refuse
from tenants.errors import LinkClosed
from tenants.models import User
from tenants.signin import oidc, proofs
from tenants.signin.adapter import is_here
from tenants.signin.links import is_open, links_work_for, use_link

STOP_POLLING = 286  # htmx swaps what it gets, and asks no more


class SignIn(LoginView):  # type: ignore[misc]  # allauth has no types
    """Signing in by password, by passkey, or at the provider that the environment names."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """allauth's context, and `providers` = list of {name, url}."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"providers": oidc.providers(), "next": self.request.GET.get("next", "")}


def confirmation_url(request: HttpRequest, back: str) -> str:
    """Where the person of this request confirms that it is them, to come back to `back`.

    Who has nothing to confirm with here signs in again.
    """
    offered = get_adapter(request).get_reauthentication_methods(request.user)
    url = offered[0]["url"] if offered else reverse("sign_in_again")
    return f"{url}?{urlencode({'next': back})}"


@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_again(request: HttpRequest) -> HttpResponse:
    """For people without a password or second factor here: sign out, and prove it at the door."""
    back = request.GET.get("next", "")
    back = back if is_here(request, back) else settings.LOGIN_REDIRECT_URL
    if request.method != "POST":
        return render(request, "tenants/sign_in_again.html", {"next": back})
    get_adapter(request).logout(request)
    return redirect(f"{reverse(settings.LOGIN_URL)}?{urlencode({'next': back})}")


@never_cache
def change_password(request: HttpRequest) -> HttpResponseBase:
    """allauth's page, for who has a password; others have none to change."""
    if not cast(User, request.user).has_usable_password():
        raise Http404
    return cast(HttpResponseBase, password_change(request))


@csp_update({"img-src": ["data:"]})
@never_cache
def add_app(request: HttpRequest) -> HttpResponseBase:
    """allauth's page for an authenticator app; its QR code is the one image that is inline."""
    return cast(HttpResponseBase, activate_totp(request))


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and changes nothing, because mail scanners follow links; POST signs in."""
    if not links_work_for(request):
        raise Http404
    if request.method != "POST":
        return _link_page(request, opened=is_open(token))
    try:
        user = use_link(token)
    except LinkClosed:
        stranger = Actor.stranger(request.META["REMOTE_ADDR"])
        refuse(None, stranger, "use_sign_in_link", ours("link"))
        return _link_page(request, opened=False)
    record_authentication(request, user, proofs.LINK)
    get_adapter(request).login(request, user)
    return redirect(settings.LOGIN_REDIRECT_URL)


def sign_in_ended(request: HttpRequest, *, ours: bool = True) -> HttpResponse:
    """Answer a request that would have changed something, or a fragment, without a sign-in.

    Nothing was done. What the person had written comes back, to be copied, if the form was `ours`;
    the link leads back to the page they were on.
    """
    context = {"next": _page_of(request), "written": _written(request) if ours else []}
    if not request.headers.get("HX-Request"):
        return render(request, "tenants/sign_in_ended.html", context, status=401)
    response = render(request, "tenants/_sign_in_ended.html", context, status=STOP_POLLING)
    # Into the target, above what stands there: an open form and its text stay.
    response["HX-Reswap"] = "afterbegin"
    response["HX-Push-Url"] = "false"
    return response


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a valid CSRF token: most often older than the person's sign-in."""
    signing_in = request.path_info == reverse(settings.LOGIN_URL)
    if not request.user.is_authenticated and not signing_in:
        return sign_in_ended(request, ours=False)
    template = "_form_refused" if request.headers.get("HX-Request") else "form_refused"
    context = {"next": _page_of(request)}
    return render(request, f"tenants/{template}.html", context, status=403)


def _link_page(request: HttpRequest, *, opened: bool) -> HttpResponse:
    context = {"opened": opened}
    return render(request, "tenants/sign_in_link.html", context, status=200 if opened else 410)


def _page_of(request: HttpRequest) -> str:
    url = request.headers.get("HX-Current-URL") or request.headers.get("Referer") or ""
    if not url or not is_here(request, url):
        return settings.LOGIN_REDIRECT_URL
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _written(request: HttpRequest) -> list[str]:
    # Prose only: hidden fields, choices and tokens help nobody who has to type again.
    values = (value for name in request.POST for value in request.POST.getlist(name))
    return [value for value in values if len(value.split()) > 1]
