"""Signing in at a provider of OpenID Connect, when the environment names one.

Nobody signs up: the provider must vouch for the e-mail address of somebody who is known here.
"""

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse

from canonical.redaction import ours
from tenants.actors import Actor
from tenants.audit import record, refuse
from tenants.keys import hiding
from tenants.models import User
from tenants.signin import exchange, notices


class Providers(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Links a provider's account to the person of its verified address, once; opens no account."""

    def get_provider(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """allauth's provider, with our own exchange for OpenID Connect."""
        found = super().get_provider(request, *args, **kwargs)
        if isinstance(found, OpenIDConnectProvider):
            return exchange.Provider(request, app=found.app)
        return found

    def on_authentication_error(self, request: HttpRequest, provider: Any, **told: Any) -> None:
        """The exchange failed: written down in our own words, never in the provider's."""
        error = told.get("exception")
        if isinstance(error, exchange.NotVouched):
            why = str(error)
        elif error is not None:
            why = f"the exchange failed: {type(error).__name__}"
        elif told.get("error") == AuthError.CANCELLED:
            why = "cancelled at the provider"
        else:
            why = "no question of this session"
        address = Actor.stranger(request.META.get("REMOTE_ADDR", ""))
        subject = hiding.text(f"provider:{provider.sub_id}")
        refuse(None, address, "sign_in", subject, why=hiding.text(why))

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Nobody: reached by who is not known here, so the attempt is written down."""
        address = Actor.stranger(request.META.get("REMOTE_ADDR", ""))
        subject = hiding.text(", ".join(_addresses(sociallogin)))
        refuse(None, address, "sign_in", subject, why=ours("not known here"))
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Before the sign-in: find the person. allauth's own way would wipe their password."""
        if sociallogin.is_existing:
            return
        verified = [address for address in sociallogin.email_addresses if address.verified]
        known = User.objects.filter(
            email__in=[address.email.lower() for address in verified],
            is_active=True,
            kind=User.Kind.PERSON,
        ).first()
        if known is not None:
            with transaction.atomic():
                row = record(
                    None, Actor.person(known), "link_provider", ours("person:%(id)s", id=known.pk)
                )
                sociallogin.connect(request, known)
                notices.tell(known, row)

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """The link is audited above."""


def providers() -> list[dict[str, str]]:
    """The providers that the sign-in page offers: name and address of each."""
    apps = settings.SOCIALACCOUNT_PROVIDERS.get("openid_connect", {}).get("APPS", [])
    return [
        {
            "name": app["name"],
            "url": reverse("openid_connect_login", args=[app["provider_id"]]),
        }
        for app in apps
    ]


def _addresses(sociallogin: SocialLogin) -> list[str]:
    return [address.email.lower() for address in sociallogin.email_addresses]
