"""The stage of the bad release: a tenant of its own with many small repositories, and who works there."""

from pathlib import Path
from typing import Final

from django.db.models import QuerySet

from agents import repositories
from agents.fleet import CampaignRun
from agents.fleet_change.message import business_key
from agents.remotes import remote_url
from agents.repositories import Step
from config.demo import classes, people
from config.demo.people import OPERATOR, OWNER, SEED, Person
from reconciliation.credentials import keeping
from reconciliation.credentials.keeping import Noted
from reconciliation.credentials.models import Credential
from tenants.models import Tenant, User
from tenants.people import add_tenant, give_role

SLUG: Final = "quay"
NAME: Final = "Quay Research"
SECOND = Person(f"second@{people.DOMAIN}", "Sami Holm", {SLUG: ("owner",)})
CAMPAIGN: Final = "tidy-up"
RULE: Final = {"kind": "ruff", "select": ["UP"]}
FILES: Final = {
    "names.py": b'import os\n\n\ndef name():\n    return u"quay"\n',
    "README.md": b"# A small repository\n\nOne file to tidy up.\n",
}


def make(number: int = 1) -> Tenant:
    """The tenant of a performance with its people, its tools' classes and credentials, made once.

    Each performance has its own: what the one before it stopped stays stopped until people lift it.
    """
    slug, name = (SLUG, NAME) if number == 1 else (f"{SLUG}-{number}", f"{NAME} {number}")
    tenant = add_tenant(slug, name, actor=SEED)
    classes.make([tenant], actor=SEED)
    people.add(SECOND, {SLUG: tenant})
    cast = ((OWNER, ("owner",)), (SECOND, ("owner",)), (OPERATOR, ("operator", "approver")))
    for person, roles in cast:
        for role in roles:
            give_role(tenant, account(person), role, actor=SEED)
    owner = account(OWNER)
    for tool in ("git_push", "send_mail"):
        if not Credential.objects.filter(tenant=tenant, tool=tool).exists():
            noted = Noted(f"quay {tool}", f"env:QUAY_{tool.upper()}", "1", None)
            keeping.note(tenant, tool, noted, owner=owner, user=owner)
    return tenant


def performances() -> QuerySet[Tenant]:
    """The tenants of all performances so far."""
    return Tenant.objects.filter(slug__regex=rf"^{SLUG}(-[0-9]+)?$")


def account(person: Person) -> User:
    """The account of somebody who works there. Raises `LookupError`."""
    found = people.user_of(person)
    if found is None:
        raise LookupError(
            f"{person.name} has no account here; start the demo with `make up` first."
        )
    return found


def change(number: int, tenant: Tenant) -> CampaignRun:
    """A change of the small repository of this number, which is made if it is missing."""
    name = f"small-{number:02d}"
    place = Path(remote_url(tenant.slug, name))
    if not place.exists():
        repositories.put(place, [Step(0, "Begin", FILES)])
    given = {
        "repository": name,
        "rule": RULE,
        "maintainer": f"maintainer{number}@kedge.example",
        "campaign": CAMPAIGN,
    }
    return CampaignRun(business_key(given), given)
