"""Second factors, allauth's made ours: secrets are encrypted, what changes or fails is audited."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO
from typing import Any, Final

import qrcode
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from allauth.mfa.webauthn.forms import (
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django.db import transaction
from django.utils.translation import gettext
from qrcode.image.svg import SvgPathFillImage

from canonical.redaction import ours
from tenants.actors import Actor
from tenants.audit import record, refuse
from tenants.keys import hiding, people
from tenants.keys.errors import EncryptionRefusedError
from tenants.models import User
from tenants.signin import notices

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
    """Secrets of authenticator apps and recovery codes rest encrypted under their person's key.

    What cannot be opened raises: then nobody signs in, and no second factor is passed over.
    """

    def encrypt(self, text: str) -> str:
        return people.sealed(_owner(), text, use=people.SECOND_FACTOR)

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
        return people.opened(encrypted_text, use=people.SECOND_FACTOR)


_giving: ContextVar[User | None] = ContextVar("giving", default=None)


@contextmanager
def giving(user: User) -> Iterator[None]:
    """What is made inside is this person's, without a request of theirs."""
    token = _giving.set(user)
    try:
        yield
    finally:
        _giving.reset(token)


def changed(user: User, template: str) -> None:
    """Write down a change of how a person signs in; `template` is allauth's name of it."""
    verb = CHANGES.get(template, "change_sign_in")
    with transaction.atomic():
        row = record(None, Actor.person(user), hiding.text(verb), ours("person:%(id)s", id=user.pk))
        notices.tell(user, row)


def take_away(user: User, *, actor: Actor) -> int:
    """Take all second factors of a person away who lost them; returns how many there were.

    Their password alone signs them in then, so their password should be a new one.
    """
    with transaction.atomic():
        gone = Authenticator.objects.filter(user=user).delete()[0]
        row = record(
            None, actor, "take_second_factors_away", ours("person:%(id)s", id=user.pk), factors=gone
        )
        notices.tell(user, row)
    return int(gone)


class NewAppForm(ActivateTOTPForm):  # type: ignore[misc]
    """The first code of a new app: until then its secret rests in the session, encrypted as well."""

    secret: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        session = context.request.session
        if people.is_sealed(self.secret):
            self.secret = people.opened(self.secret, use=people.SECOND_FACTOR)
        else:
            session[SECRET_SESSION_KEY] = people.sealed(
                self.user.pk, self.secret, use=people.SECOND_FACTOR
            )


class FailuresAreAudited:
    """A form whose wrong answers are written down, by whoever is known at that moment."""

    user: User | None

    def full_clean(self) -> None:
        super().full_clean()  # type: ignore[misc]  # mixed into a form
        if self.is_bound and self._errors:  # type: ignore[attr-defined]
            _refused(self.user)


class RecoveryCodesAreTold:
    """A form that takes codes: a used recovery code is written down, and the person told."""

    user: User
    authenticator: Authenticator

    def clean_code(self) -> str:
        with transaction.atomic():
            code: str = super().clean_code()  # type: ignore[misc]  # mixed into a form
            if self.authenticator.type == Authenticator.Type.RECOVERY_CODES:
                actor = Actor.person(self.user)
                subject = ours("person:%(id)s", id=self.user.pk)
                notices.tell(self.user, record(None, actor, "use_recovery_code", subject))
        return code


class SecondFactorForm(RecoveryCodesAreTold, FailuresAreAudited, AuthenticateForm):  # type: ignore[misc]
    """The code at sign-in."""


class ConfirmByCodeForm(RecoveryCodesAreTold, FailuresAreAudited, ReauthenticateForm):  # type: ignore[misc]
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
        refuse(None, Actor.person(user), "confirm", ours("person:%(id)s", id=user.pk))
        return
    address = Actor.stranger(request.META.get("REMOTE_ADDR", ""))
    subject = user.email if user is not None else "passkey"
    why = ours("wrong second factor")
    refuse(None, address, "sign_in", hiding.text(subject), why=why)


def _owner() -> int:
    """Whose secret allauth is about to keep: it hands over the text alone."""
    user = _giving.get() or getattr(context.request, "user", None)
    if not isinstance(user, User):
        raise EncryptionRefusedError("nobody is signed in whose key could encrypt it.")
    return user.pk
