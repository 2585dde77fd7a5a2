"""One-use sign-in links, for demo installations: whoever holds the link is that person, once."""

import secrets
from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_address
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.http import HttpRequest

from canonical.redaction import ours
from tenants.actors import Actor
from tenants.audit import record
from tenants.errors import LinkClosed
from tenants.models import SignInLink, User

LIFETIME: Final = timedelta(minutes=10)
FORWARDED: Final = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP")


def make_link(user: User, *, actor: Actor) -> str:
    """Return the token of a new link; only its digest is kept."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        SignInLink.objects.create(
            token_digest=_digest(token), user=user, expires_at=Now() + LIFETIME
        )
        record(None, actor, "make_sign_in_link", ours("person:%(id)s", id=user.pk))
    return token


def is_open(token: str) -> bool:
    """True if the link can still be used; looking uses nothing up."""
    return SignInLink.objects.filter(
        token_digest=_digest(token), used_at=None, expires_at__gt=Now()
    ).exists()


def use_link(token: str) -> User:
    """Use the link up and return its person. Raises LinkClosed if it is used, over or unknown."""
    with transaction.atomic():
        # The guard names columns of this row only: a condition on another table would not be
        # judged again after waiting for somebody who uses the same link now.
        used = SignInLink.objects.filter(
            token_digest=_digest(token), used_at=None, expires_at__gt=Now()
        ).update(used_at=Now())
        if used != 1:
            raise LinkClosed
        user = SignInLink.objects.select_related("user").get(token_digest=_digest(token)).user
        if not user.is_active:
            raise LinkClosed
        record(None, Actor.person(user), "use_sign_in_link", ours("person:%(id)s", id=user.pk))
    return user


def links_work_for(request: HttpRequest) -> bool:
    """True on a demo installation, asked from this machine itself and through no proxy."""
    if not settings.KEDGE_DEMO or any(header in request.META for header in FORWARDED):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
