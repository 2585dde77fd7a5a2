"""Who gives a command: a person who proves it by their password, typed or from standard input."""

import getpass
import sys

from django.core.management.base import CommandError

from tenants.models import User


def person(email: str, *, instead: str) -> User:
    """The active person of this address. `instead` says what to do for who has no password.

    Raises `CommandError` for anybody else, and for another password.
    """
    found = User.objects.filter(email=email.lower(), is_active=True).first()
    if found is None or not found.has_usable_password():
        raise CommandError(
            f"{email} is no active person with a password, so it cannot be told here who they are; "
            f"{instead}"
        )
    if not found.check_password(_password(email)):
        raise CommandError(f"that is not the password of {email}; nothing was changed")
    return found


def _password(email: str) -> str:
    if sys.stdin.isatty():
        return getpass.getpass(f"Password of {email}: ")
    return sys.stdin.readline().rstrip("\n")
