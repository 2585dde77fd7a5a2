"""When and how the person of a session last showed that it is them.

allauth keeps a record per sign-in and confirmation in the session. Its own check is not used for
decisions: it does not count a fresh sign-in, and it stores the refused POST and replays it.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, Final

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.http import HttpRequest

from tenants.actors import Proof
from tenants.models import User

LINK: Final = "link"
FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
SECOND_FACTORS: Final = {
    Authenticator.Type.TOTP: "app",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery_code",
}


def latest(request: HttpRequest) -> Proof | None:
    """The newest proof of this session's person that counts, None when there is none.

    Who has a second factor must have shown it: their password alone proves nothing here. A
    sign-in at another provider is no proof either: when it happened is not ours to know.
    """
    user = request.user
    if not isinstance(user, User):
        return None
    accepted = {"mfa"} if has_second_factor(user) else {"mfa", "password"}
    if settings.KEDGE_DEMO:
        accepted.add(LINK)
    proofs = [
        Proof(_method(record), datetime.fromtimestamp(record["at"], UTC))
        for record in get_authentication_records(request, user)
        if record.get("method") in accepted
    ]
    return max(proofs, key=lambda proof: proof.at, default=None)


def who_can(people: Collection[int]) -> set[int]:
    """Which of these people (ids) have something here to prove with: a password or second factor.

    Who signs in at a provider alone has nothing, until they add a passkey or an app.
    """
    if settings.KEDGE_DEMO:
        return set(people)
    users = User.objects.filter(pk__in=people)
    by_password = users.exclude(password="").exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    by_factor = Authenticator.objects.filter(user__in=people, type__in=FACTORS)
    return {*by_password.values_list("pk", flat=True), *by_factor.values_list("user", flat=True)}


def signed_in_lately(request: HttpRequest, now: datetime) -> bool:
    """True if the session has any record, of whatever method, that is fresh."""
    records = get_authentication_records(request, request.user)
    times = [datetime.fromtimestamp(record["at"], UTC) for record in records]
    return any(Proof("", at).is_fresh(now) for at in times)


def methods(request: HttpRequest, user: User) -> list[str]:
    """How the person has shown that it is them in this session, in order: for the audit trail."""
    return [_method(record) for record in get_authentication_records(request, user)]


def has_second_factor(user: User) -> bool:
    """True if the person has an authenticator app or a passkey."""
    return bool(Authenticator.objects.filter(user=user, type__in=FACTORS).exists())


def _method(record: dict[str, Any]) -> str:
    if record.get("method") == "mfa":
        return SECOND_FACTORS.get(record.get("type", ""), "mfa")
    return str(record.get("method"))
