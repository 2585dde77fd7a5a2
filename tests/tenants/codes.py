"""What an authenticator app would show, and signing in with it."""

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)

from tenants.models import User
from tenants.signin.factors import Factors, giving


def give_app(user: User) -> None:
    """An authenticator app, and recovery codes."""
    with giving(user):
        TOTP.activate(user, generate_totp_secret())
        RecoveryCodes.activate(user)


def now(user: User) -> str:
    """The six digits of this half minute."""
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    return of(Factors().decrypt(row.data["secret"]))


def of(secret: str) -> str:
    """The six digits of this half minute for a key."""
    counter = list(yield_hotp_counters_from_time())[1]
    return str(format_hotp_value(hotp_value(secret, counter)))


def recovery(user: User) -> str:
    """One unused recovery code."""
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)
    return str(row.wrap().get_unused_codes()[0])
