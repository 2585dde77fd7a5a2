"""Who works at the demo's two tenants, always under the same e-mail addresses."""

from dataclasses import dataclass, field

from django.db import transaction

from config.demo import classes
from tenants.actors import Actor
from tenants.models import Tenant, User
from tenants.people import add_person, add_tenant, give_role

SEED = Actor.machine("demo seed")
DOMAIN = "demo.kedge.example"
HARBOUR, NORTHSEA = "harbour", "northsea"
TENANTS = {HARBOUR: "Harbour Works", NORTHSEA: "North Sea Mail"}


@dataclass(frozen=True)
class Person:
    """One person of the demo. `roles` maps the slug of a tenant to the roles they have there."""

    email: str
    name: str
    roles: dict[str, tuple[str, ...]] = field(default_factory=dict)


# Starts nothing, so that every answer is hers to give.
OPERATOR = Person(
    f"operator@{DOMAIN}",
    "Olga Marsh",
    {HARBOUR: ("operator", "approver"), NORTHSEA: ("operator", "approver")},
)
# Also the name under which the demo says yes to the one run that must be there at the first look.
APPROVER = Person(
    f"approver@{DOMAIN}", "Petra Lund", {HARBOUR: ("approver",), NORTHSEA: ("approver",)}
)
AUDITOR = Person(f"auditor@{DOMAIN}", "Tom Okoye", {HARBOUR: ("auditor",)})
OWNER = Person(f"owner@{DOMAIN}", "Nadia Brandt", {HARBOUR: ("owner",), NORTHSEA: ("owner",)})
PEOPLE = (OPERATOR, APPROVER, AUDITOR, OWNER)


def make() -> tuple[list[str], list[str]]:
    """Make what is missing; returns the names of the tenants and of the people made now."""
    known = set(Tenant.objects.filter(slug__in=TENANTS).values_list("slug", flat=True))
    tenants = {slug: add_tenant(slug, name, actor=SEED) for slug, name in TENANTS.items()}
    classes.make(tenants.values(), actor=SEED)
    made = [person.name for person in PEOPLE if add(person, tenants)]
    return [name for slug, name in TENANTS.items() if slug not in known], made


def user_of(person: Person) -> User | None:
    """The person's account; None before the demo was made, or when it was switched off."""
    return User.objects.filter(email=person.email, is_active=True).first()


def add(person: Person, tenants: dict[str, Tenant]) -> bool:
    """Make an account with its roles at these tenants; False when it was there."""
    # Nobody learns the password: the demo signs people in by one-use links.
    with transaction.atomic():
        user, password = add_person(person.email, person.name, actor=SEED)
        if password is None:
            return False
        for slug, roles in person.roles.items():
            for role in roles:
                give_role(tenants[slug], user, role, actor=SEED)
    return True
