"""Sending business keys to one arm by hand, and letting the shares decide about them again."""

from dataclasses import dataclass
from typing import Final

from django.db import transaction

from approvals import clock
from canonical.redaction import ours
from checkpoints.models import Override, Route
from releases.beginning import RIGHT
from releases.errors import ReleaseRefusedError
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

MOST_AT_ONCE: Final = 100
MOST_IN_FORCE: Final = 1_000
LONGEST_KEY: Final = 200


@dataclass(frozen=True)
class Wanted:
    """Business keys of a task type, the arm they are sent to, and why."""

    task_type: str
    keys: tuple[str, ...]
    arm: str
    why: str


def send(tenant: Tenant, wanted: Wanted, *, user: User) -> list[Override]:
    """From here on new runs of these keys get that arm. All of them are sent, or none.

    Raises `ReleaseRefusedError`, `Denied`. Runs that began stay with their combo.
    """
    why = hiding.text(wanted.why.strip())
    with transaction.atomic():
        _locked(tenant, wanted.task_type, user)
        _refuse(tenant, wanted, str(why))
        sent = [
            Override.objects.create(
                tenant=tenant,
                task_type=wanted.task_type,
                business_key=key,
                arm=wanted.arm,
                why=str(why),
                made_by=user,
            )
            for key in wanted.keys
        ]
        for each in sent:
            _tell(each, "sent key by hand", user)
    return sent


def end(tenant: Tenant, override_id: int, *, user: User) -> Override:
    """Let the shares decide about its key again. Raises `Override.DoesNotExist`, `Denied`."""
    found = Override.objects.get(tenant=tenant, pk=override_id)
    with transaction.atomic():
        _locked(tenant, found.task_type, user)
        hit = Override.objects.filter(pk=found.pk, ended_at=None).update(
            ended_at=clock.ClockTimestamp(), ended_by=user
        )
        if hit != 1:
            raise ReleaseRefusedError("somebody let the shares decide about it already")
        _tell(found, "let shares decide about key", user)
    found.refresh_from_db()
    return found


def in_force(tenant_id: int, task_type: str) -> list[Override]:
    """The keys that are sent by hand now, the newest first, bounded."""
    found = Override.objects.filter(tenant=tenant_id, task_type=task_type, ended_at=None)
    return list(found.select_related("made_by").order_by("-pk")[:MOST_AT_ONCE])


def _locked(tenant: Tenant, task_type: str, user: User) -> None:
    """The route alone, so that no start chooses meanwhile (rule 21)."""
    if user.pk not in access.who_may(tenant.pk, RIGHT, [user.pk]):
        raise Denied(tenant.pk, RIGHT)
    locked = Route.objects.select_for_update().filter(tenant=tenant, task_type=task_type)
    if locked.first() is None:
        raise ReleaseRefusedError(
            "nothing of this task was ever released here, so nothing is dealt"
        )


def _refuse(tenant: Tenant, wanted: Wanted, why: str) -> None:
    keys = wanted.keys
    if not why:
        raise ReleaseRefusedError("a key is sent by hand for a reason; say it in a few words")
    if wanted.arm not in (Override.STABLE, Override.CANDIDATE):
        raise ReleaseRefusedError(f"{wanted.arm!r} is no arm")
    if not 1 <= len(set(keys)) == len(keys) <= MOST_AT_ONCE:
        raise ReleaseRefusedError(f"name from 1 to {MOST_AT_ONCE} keys, each once")
    if not all(key and len(key) <= LONGEST_KEY for key in keys):
        raise ReleaseRefusedError(f"a key has from 1 to {LONGEST_KEY} characters")
    here = Override.objects.filter(tenant=tenant, task_type=wanted.task_type, ended_at=None)
    known = here.filter(business_key__in=keys).values_list("business_key", flat=True).first()
    if known is not None:
        raise ReleaseRefusedError(f"{known!r} is sent by hand already; end that first")
    if here.count() + len(keys) > MOST_IN_FORCE:
        raise ReleaseRefusedError(f"at most {MOST_IN_FORCE:,} keys of a task are sent by hand")


def _tell(override: Override, verb: str, user: User) -> None:
    told = hiding.texts(
        business_key=override.business_key,
        task_type=override.task_type,
        arm=override.arm,
        why=override.why,
    )
    about = ours("override %(id)s", id=override.pk)
    audit.record(override.tenant, Actor.person(user), hiding.text(verb), about, **told)
