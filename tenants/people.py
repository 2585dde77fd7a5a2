"""Makes tenants and people, and gives people their roles; each is audited."""

import secrets

from django.core.exceptions import ValidationError
from django.db import transaction

from canonical.redaction import ours
from tenants.access import grant, revoke
from tenants.actors import Actor
from tenants.audit import record
from tenants.errors import PeopleError
from tenants.keys import hiding
from tenants.models import Tenant, User
from tenants.roles import ROLES


def add_tenant(slug: str, name: str, *, actor: Actor) -> Tenant:
    """Make a tenant, or return the one with this slug. Raises PeopleError for a bad slug or name."""
    with transaction.atomic():
        known = Tenant.objects.filter(slug=slug).first()
        if known is not None:
            return known
        tenant = Tenant(slug=slug, name=name)
        _check(tenant)
        tenant.save()
        record(tenant, actor, "add_tenant", hiding.text(f"tenant:{slug}"), name=hiding.text(name))
    return tenant


def add_person(email: str, name: str, *, actor: Actor) -> tuple[User, str | None]:
    """Make a person, or find the one with this e-mail.

    Returns the person and their generated password, None for one who was there before: it is shown
    once and kept nowhere. Raises PeopleError for a bad e-mail.
    """
    email = email.strip().lower()
    with transaction.atomic():
        known = User.objects.filter(email=email).first()
        if known is not None:
            return known, None
        password = secrets.token_urlsafe(15)
        _check(User(email=email, name=name))
        user = User.objects.create_user(email, password, name=name)
        told = {"email": hiding.text(email), "name": hiding.text(name)}
        record(None, actor, "add_person", ours("person:%(id)s", id=user.pk), **told)
    return user, password


def add_service_user(email: str, name: str, *, actor: Actor) -> User:
    """Make a user for a program, or find the one with this name: it has no password and no session.

    Raises PeopleError for a bad e-mail, and for one that belongs to a person.
    """
    email = email.strip().lower()
    with transaction.atomic():
        known = User.objects.filter(email=email).first()
        if known is not None and known.kind != User.Kind.SERVICE:
            raise PeopleError(f"Not possible: {email} belongs to a person.")
        if known is not None:
            return known
        user = User(email=email, name=name, kind=User.Kind.SERVICE)
        user.set_unusable_password()
        _check(user)
        user.save()
        told = {"email": hiding.text(email), "name": hiding.text(name)}
        record(None, actor, "add_service_user", ours("service:%(id)s", id=user.pk), **told)
    return user


def give_role(tenant: Tenant, user: User, role: str, *, actor: Actor) -> None:
    """Give the person a role's rights at the tenant, on top of what they have."""
    if role not in ROLES:
        raise PeopleError(f"There is no role {role!r}: the roles are {', '.join(ROLES)}.")
    with transaction.atomic():
        grant(tenant, user, *ROLES[role])
        told = {"role": hiding.text(role), "email": hiding.text(user.email)}
        record(tenant, actor, "give_role", ours("person:%(id)s", id=user.pk), **told)


def take_role(tenant: Tenant, user: User, role: str, *, actor: Actor) -> None:
    """Take a role's rights at the tenant away from the person, whichever way they came by them.

    Rights of their groups stay. Raises PeopleError for a role that does not exist.
    """
    if role not in ROLES:
        raise PeopleError(f"There is no role {role!r}: the roles are {', '.join(ROLES)}.")
    with transaction.atomic():
        revoke(tenant, user, *ROLES[role])
        told = {"role": hiding.text(role), "email": hiding.text(user.email)}
        record(tenant, actor, "take_role", ours("person:%(id)s", id=user.pk), **told)


def _check(row: Tenant | User) -> None:
    try:
        row.full_clean(exclude={"password"})
    except ValidationError as error:
        wrong = "; ".join(f"{field}: {' '.join(why)}" for field, why in error.message_dict.items())
        raise PeopleError(f"Not possible: {wrong}") from None
