"""Checks credentials because somebody wants to know, and again while one does not work.

A check is made beside the sweeper: neither a page nor a worker waits for the tool.
"""

import logging
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from approvals.clock import ClockTimestamp
from checkpoints import states
from checkpoints.models import Run
from checkpoints.registry import agents
from reconciliation.credentials import keeping
from reconciliation.credentials.models import INVALID, UNANSWERED, Credential
from reconciliation.errors import CredentialRefusedError
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

log = logging.getLogger(__name__)

RIGHTS: Final = ("operate_runs", keeping.MANAGE)
MOST: Final = 50
AGAIN: Final = timedelta(minutes=5)
TAKES: Final = timedelta(minutes=2)


def want(tenant: Tenant, tool: str, *, user: User) -> Credential:
    """Have a credential checked now; the page shows the answer and its age when it is there.

    Raises `Denied`, `CredentialRefusedError` when nothing is noted of the tool.
    """
    if not any(access.who_may(tenant.pk, right, [user.pk]) for right in RIGHTS):
        raise Denied(tenant.pk, RIGHTS[0])
    with transaction.atomic():
        known = Credential.objects.filter(tenant=tenant, tool=tool)
        credential = known.select_for_update().first()
        if credential is None:
            raise CredentialRefusedError(f"Nothing is noted of the credential of {tool}.")
        known.update(wanted_at=Now())
        audit.record(
            tenant, Actor.person(user), "check_credential", hiding.text(f"credential:{tool}")
        )
    return credential


def claim(limit: int = MOST) -> list[Credential]:
    """The credentials to be checked now, each claimed for the time that a check takes."""
    free = Q(asking_until=None) | Q(asking_until__lte=ClockTimestamp())
    wanted = Q(wanted_at__isnull=False)
    # One that did not work may work again: the page says so before anybody asks.
    doubtful = Q(result__in=[INVALID, UNANSWERED], checked_at__lt=Now() - AGAIN)
    due = Credential.objects.filter(free, wanted | doubtful)
    return [
        each
        for each in due.select_related("tenant", "owner").order_by("wanted_at", "pk")[:limit]
        if due.filter(pk=each.pk).update(asking_until=ClockTimestamp() + TAKES)
    ]


def check(credential: Credential) -> None:
    """Ask its tool, and keep what it says; whatever that is, it is no trouble of ours."""
    tool = agents().TOOLS.by_name.get(credential.tool)
    if tool is None:
        Credential.objects.filter(pk=credential.pk).update(wanted_at=None, asking_until=None)
        return
    try:
        keeping.check(credential, tool)
    except Exception as error:  # kept already: invalid, or nobody answered
        log.info("credential of %s: %s", credential.tool, hiding.text(str(error)))


def held_for(tenant: Tenant, tool: str) -> QuerySet[Run]:
    """The runs that are held because a credential of theirs does not work, and that use this tool."""
    uses = [name for name, graph in agents().GRAPHS.items() if tool in graph.manifest.tools]
    return Run.objects.filter(
        tenant=tenant,
        status=states.HELD,
        reason=states.CREDENTIAL_INVALID,
        task_type__in=uses,
    )
