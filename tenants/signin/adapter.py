"""allauth's choices, made ours: nobody signs up, links lead back here only, all is audited."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from canonical.redaction import ours
from tenants.actors import Actor
from tenants.audit import record, refuse
from tenants.keys import hiding
from tenants.models import User
from tenants.signin import factors, proofs


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Sign-ins and sign-outs go to the installation's chain, refused ones too."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth passes it
        return False

    def is_ajax(self, request: HttpRequest) -> bool:
        """Answers are pages, also to who asks for JSON; but a passkey's question is for a script."""
        return request.method == "GET" and request.path == reverse("mfa_login_webauthn")

    def is_safe_url(self, url: str) -> bool:
        return is_here(context.request, url)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """The page itself says who is signed in."""

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            self._refused(request, credentials, why="too many attempts")
            raise

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user is not None and not user.is_active:
            # allauth would say that the account is inactive, which only the right password shows.
            self._refused(request, credentials, why="inactive")
            return None
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        self._refused(request, credentials, why="wrong e-mail or password")

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign the person in; the row comes first, because no row means no effect."""
        methods = hiding.value(proofs.methods(request, user))
        how = {"address": hiding.text(self._of(request)), "methods": methods}
        record(None, Actor.person(user), "sign_in", ours("person:%(id)s", id=user.pk), **how)
        super().login(request, user)

    def logout(self, request: HttpRequest) -> None:
        if isinstance(request.user, User):
            record(
                None,
                Actor.person(request.user),
                "sign_out",
                ours("person:%(id)s", id=request.user.pk),
            )
        super().logout(request)

    def reauthenticate(self, user: User, password: str) -> bool:
        """True if it is this person's password; allauth would look for addresses we do not keep."""
        found = self.authenticate(context.request, email=user.email, password=password)
        return found is not None and found.pk == user.pk

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """How the person can confirm that it is them, best first: passkey, app or code, password.

        Who has a second factor confirms with it: a password that leaked is not enough.
        """
        offered: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if proofs.has_second_factor(user):
            offered = [each for each in offered if each["id"] != "reauthenticate"]
        return offered[::-1]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:  # noqa: ARG002
        """For who has nothing to confirm with here, a sign-in of the last minutes does."""
        request = context.request
        if self.get_reauthentication_methods(request.user):
            return True
        return not proofs.signed_in_lately(request, timezone.now())

    def send_notification_mail(self, template_prefix: str, user: User, *args: Any) -> None:  # noqa: ARG002
        """allauth says here that how somebody signs in has changed."""
        factors.changed(user, template_prefix)

    def _refused(self, request: HttpRequest, credentials: dict[str, Any], *, why: str) -> None:
        stranger = Actor.stranger(self._of(request))
        address = hiding.text(str(credentials.get("email", "")))
        refuse(None, stranger, "sign_in", address, why=hiding.text(why))

    def _of(self, request: HttpRequest) -> str:
        return str(self.get_client_ip(request))


def is_here(request: HttpRequest, url: str) -> bool:
    """True if the URL leads to this very site, so a person may be sent there."""
    return url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
