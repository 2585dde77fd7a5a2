"""Second factors, allauth's made ours: secrets are encrypted, what changes or fails is audited."""

import base64
from io import BytesIO
from typing import Any, Final

import qrcode
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import (
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction
from django.utils.encoding import force_bytes
from django.utils.translation import gettext
from qrcode.image.svg import SvgPathFillImage

from tenants.actors import Actor
from tenants.audit import record, refuse
from tenants.models import User

# allauth's names of what happened, as the audit trail names it.
CHANGES: Final = {
    "mfa/email/totp_activated": "add_authenticator_app",
    "mfa/email/totp_deactivated": "remove_authenticator_app",
    "mfa/email/webauthn_added": "add_passkey",
    "mfa/email/webauthn_removed": "remove_passkey",
    "mfa/email/recovery_codes_generated": "make_recovery_codes",
    "account/email/password_changed": "change_password",
}


class Factors(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Secrets of authenticator apps and recovery codes rest encrypted under the installation's key."""

    def encrypt(self, text: str) -> str:
        return _ring().encrypt(text.encode()).decode()

    def build_totp_svg(self, url: str) -> str:
        """The QR code on white: phones do not read it on a dark page."""
        buffer = BytesIO()
        qrcode.make(url, image_factory=SvgPathFillImage).save(buffer)
        return buffer.getvalue().decode()

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 - allauth's
        """What a new passkey is called unless the person says otherwise."""
        known = Authenticator.objects.filter(user=user, type=type).count()
        return gettext("Passkey %(n)d") % {"n": known + 1}

    def decrypt(self, encrypted_text: str) -> str:
        return _ring().decrypt(encrypted_text.encode()).decode()


def changed(user: User, template: str) -> None:
    """Write down a change of how a person signs in; `template` is allauth's name of it."""
    verb = CHANGES.get(template, "change_sign_in")
    record(None, Actor.person(user), verb, f"person:{user.pk}")


def take_away(user: User, *, actor: Actor) -> int:
    """Take all second factors of a person away who lost them; returns how many there were.

    Their password alone signs them in then, so their password should be a new one.
    """
    with transaction.atomic():
        gone = Authenticator.objects.filter(user=user).delete()[0]
        record(None, actor, "take_second_factors_away", f"person:{user.pk}", factors=gone)
    return int(gone)


class FailuresAreAudited:
    """A form whose wrong answers are written down, by whoever is known at that moment."""

    user: User | None

    def full_clean(self) -> None:
        super().full_clean()  # type: ignore[misc]  # mixed into a form
        if self.is_bound and self._errors:  # type: ignore[attr-defined]
            _refused(self.user)


class SecondFactorForm(FailuresAreAudited, AuthenticateForm):  # type: ignore[misc]
    """The code at sign-in."""


class ConfirmByCodeForm(FailuresAreAudited, ReauthenticateForm):  # type: ignore[misc]
    """The code that confirms who is signed in."""


class SecondFactorPasskeyForm(FailuresAreAudited, AuthenticateWebAuthnForm):  # type: ignore[misc]
    """The passkey as second factor."""


class ConfirmByPasskeyForm(FailuresAreAudited, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """The passkey that confirms who is signed in."""


class PasskeySignInForm(FailuresAreAudited, LoginWebAuthnForm):  # type: ignore[misc]
    """The passkey instead of e-mail and password."""


def _refused(user: User | None) -> None:
    request: Any = context.request
    if user is not None and request.user == user:
        refuse(None, Actor.person(user), "confirm", f"person:{user.pk}")
        return
    address = Actor.stranger(request.META.get("REMOTE_ADDR", ""))
    subject = user.email if user is not None else "passkey"
    refuse(None, address, "sign_in", subject, why="wrong second factor")


def _ring() -> MultiFernet:
    # Old keys stay readable: SECRET_KEY_FALLBACKS is what Django itself reads sessions with.
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_derived(key)) for key in keys])


def _derived(key: str | bytes) -> bytes:
    made = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"kedge second factors")
    return base64.urlsafe_b64encode(made.derive(force_bytes(key)))
