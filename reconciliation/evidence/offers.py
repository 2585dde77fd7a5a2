"""Who may take evidence along, and what their copy holds."""

from dataclasses import dataclass
from typing import Final

from tenants.errors import Denied
from tenants.scope import TenantRequest

# Either is enough: an auditor proves, whoever reads payloads has seen all of it.
MAY_EXPORT: Final = ("audit", "read_payloads")


@dataclass(frozen=True)
class Offer:
    """`may`: the button works. `whole`: the copy holds payloads, not only their digests."""

    may: bool
    whole: bool


def to(request: TenantRequest) -> Offer:
    """What the person of this request may take along of the request's tenant."""
    rights = request.access.rights.get(request.tenant.pk, frozenset())
    return Offer(may=any(each in rights for each in MAY_EXPORT), whole="read_payloads" in rights)


def demanded(request: TenantRequest) -> Offer:
    """The same for who asks for the file. Raises `Denied`."""
    offer = to(request)
    if not offer.may:
        raise Denied(request.tenant.pk, MAY_EXPORT[0])
    return offer
