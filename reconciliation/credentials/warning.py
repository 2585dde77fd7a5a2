"""Warns of credentials that end: 14, 3 and 1 days before, each once, those who can renew them."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Least, Now
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import clock
from canonical.redaction import ours
from reconciliation.credentials import keeping
from reconciliation.credentials.models import Credential
from tenants import access, audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User
from tenants.notifications import outbox
from tenants.notifications.outbox import Matter

DAYS: Final = (14, 3, 1)
SWEEPER: Final = Actor.machine("sweeper")
KIND: Final = "credential_ends"
MOST: Final = 50
A_DAY: Final = timedelta(days=1)


def warn_due(limit: int) -> int:
    """Warn of what has come nearer than one of `DAYS` since it was last warned of; how many."""
    # LEAST leaves out what is not known.
    found = Credential.objects.annotate(ends=Least("expires_at", "told_expires_at"))
    near = Q(pk__in=())
    for days in DAYS:
        fresh = Q(warned_days=None) | Q(warned_days__gt=days)
        near |= Q(fresh, ends__lte=Now() + days * A_DAY)
    ids = list(found.filter(near).order_by("pk").values_list("pk", flat=True)[:limit])
    return sum(_warn(pk) for pk in ids)


def renewers(credential: Credential) -> list[User]:
    """Who can renew it: its owner first, then whoever manages the tenant."""
    managers = access.holders(credential.tenant, keeping.MANAGE)
    return [credential.owner, *(each for each in managers if each.pk != credential.owner_id)]


def ending(tenant_ids: Collection[int]) -> list[Credential]:
    """The credentials of these tenants that end within a fortnight or have, soonest first."""
    near = Credential.objects.filter(tenant_id__in=tenant_ids).filter(
        Q(expires_at__lt=Now() + keeping.SOON) | Q(told_expires_at__lt=Now() + keeping.SOON)
    )
    found = near.annotate(ends=Least("expires_at", "told_expires_at")).order_by("ends", "pk")
    return list(found.select_related("owner", "tenant")[:MOST])


def _warn(pk: int) -> int:
    with transaction.atomic():
        row = Credential.objects.select_for_update(of=("self",)).select_related("tenant", "owner")
        credential = row.get(pk=pk)
        days = _nearest(credential)
        if days is None or (credential.warned_days or days + 1) <= days:
            return 0  # another sweeper was quicker, or it was noted anew
        Credential.objects.filter(pk=pk).update(warned_days=days)
        outbox.put(credential.tenant, renewers(credential), _matter(credential, days))
        audit.record(
            credential.tenant,
            SWEEPER,
            "warn_of_credential",
            hiding.text(f"credential:{credential.tool}"),
            days=days,
            owner=ours("%(id)s", id=credential.owner_id),
        )
    return 1


def _nearest(credential: Credential) -> int | None:
    ends_at = credential.ends_at
    if ends_at is None:
        return None
    left = ends_at - clock.now()
    return min((days for days in DAYS if left <= days * A_DAY), default=None)


def _matter(credential: Credential, days: int) -> Matter:
    told = {"tool": credential.tool, "tenant": credential.tenant.name, "n": days}
    said = ngettext(
        "The credential of %(tool)s at %(tenant)s ends within %(n)d day.",
        "The credential of %(tool)s at %(tenant)s ends within %(n)d days.",
        days,
    )
    if credential.ends_at is not None and credential.ends_at <= clock.now():
        said = _("The credential of %(tool)s at %(tenant)s has ended; runs that use it are held.")
    path = reverse(settings.NOTICE_PAGES["credentials"], args=[credential.tenant.slug])
    # Of each version each warning once, however often the sweeper was killed before it said so.
    subject = f"credential:{credential.pk}:{credential.noted_at.isoformat()}:{days}"
    return Matter(KIND, subject, path, hiding.text(said % told))
