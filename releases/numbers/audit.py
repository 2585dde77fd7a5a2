"""Whether the end of a tenant's audit chain holds: so much of it as a look can afford to read.

`manage.py audit verify` reads the whole, and the file of signed heads outside PostgreSQL.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from tenants import chain
from tenants.chain import Link, Problem
from tenants.models import AuditHead, AuditRow, AuditSeal, Tenant
from tenants.trail import heads
from tenants.trail.rows import head_json
from tenants.trail.seals import head_trouble, walk

LINKS: Final = 500


class Ends:
    """The ends of chains, each read once: for a round over many releases of few tenants."""

    def __init__(self) -> None:
        self._found: dict[int, list[Problem]] = {}

    def problems(self, tenant: Tenant) -> list[Problem]:
        """As `problems_at_the_end`, when it was first asked for."""
        if tenant.pk not in self._found:
            self._found[tenant.pk] = problems_at_the_end(tenant)
        return self._found[tenant.pk]


def problems_at_the_end(tenant: Tenant) -> list[Problem]:
    """What is wrong with the last links, with the heads signed over them, and with the last rows."""
    # Heads before links: a chain that grows meanwhile has each link that was signed.
    signed = list(AuditHead.objects.filter(tenant=tenant).order_by("-position")[:LINKS])
    start = _start(tenant, heads.end_of(tenant.pk))
    ends = {start.position: start.digest}
    found: list[Problem] = []
    for link, wrong in walk(islice(chain.links_of(tenant, after=start.position), LINKS), start):
        ends[link.position] = link.digest
        found += wrong
    return found + _of_heads(signed, ends, start) + _lost(tenant)


def _start(tenant: Tenant, end: Link) -> Link:
    first = AuditSeal.objects.filter(tenant=tenant, position__lte=end.position - LINKS)
    seal = first.order_by("-position").first()
    return Link(seal.position, bytes(seal.digest)) if seal else Link()


def _of_heads(signed: Sequence[AuditHead], ends: Mapping[int, bytes], start: Link) -> list[Problem]:
    """A head that is not believed, or says another digest, or stands where no link is any more."""
    believed, installation = heads.believed(), heads.installation_id()
    return [
        Problem(head.position, 0, f"Position {head.position} is not what was signed.")
        for head in signed
        if head.position >= start.position
        and (
            head_trouble(head_json(head, installation), believed)
            or ends.get(head.position) != bytes(head.digest)
        )
    ]


def _lost(tenant: Tenant) -> list[Problem]:
    """Rows that are neither sealed nor wait for it. Relies on audit_by_tenant_newest."""
    newest = AuditRow.objects.filter(tenant=tenant).order_by("-audit_id").values("pk")[:LINKS]
    lost = AuditRow.objects.filter(pk__in=newest, auditseal=None, auditunsealed=None)
    return [
        Problem(None, row.audit_id, f"Row {row.audit_id} is neither sealed nor waiting for it.")
        for row in lost.order_by("audit_id")
    ]
