"""The cast of every test: Ada operates and approves, Bob watches, Cy is a stranger, Dee approves,
Eve operates too.

Each asks for the tenants it belongs to; asked twice, it is the same person.
"""

from tenants.access import grant
from tenants.models import Tenant, User
from tenants.roles import ROLES


def make_tenant(slug: str = "acme") -> Tenant:
    """A tenant; the same one for the same slug."""
    return Tenant.objects.get_or_create(slug=slug, defaults={"name": slug.title()})[0]


def ada(*tenants: Tenant) -> User:
    """Operates and approves."""
    return _person("ada", tenants, ROLES["operator"] + ROLES["approver"])


def bob(*tenants: Tenant) -> User:
    """Views only, and no payloads."""
    return _person("bob", tenants, ("view_runs",))


def cy() -> User:
    """A stranger: signs in, belongs nowhere."""
    return _person("cy", (), ())


def dee(*tenants: Tenant) -> User:
    """The second approver."""
    return _person("dee", tenants, ROLES["approver"])


def eve(*tenants: Tenant) -> User:
    """The second operator: who lifts a stop with Ada."""
    return _person("eve", tenants, ROLES["operator"])


def _person(name: str, tenants: tuple[Tenant, ...], codenames: tuple[str, ...]) -> User:
    email = f"{name}@example.org"
    user = User.objects.filter(email=email).first()
    if user is None:
        user = User.objects.create_user(email, name=name.title())
    for tenant in tenants:
        grant(tenant, user, *codenames)
    return user
