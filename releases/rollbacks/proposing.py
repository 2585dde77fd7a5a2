"""Proposing a rollback: stored as it is shown, with its runs held for it; nothing moves yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max, Q
from django.db.models.functions import Now

from approvals import clock
from canonical import json as canonical
from canonical.redaction import Fact, Redacted, Said, ours
from execution.plans.drafting import NUMBERS
from releases import locking
from releases.beginning import RIGHT
from releases.models import Release
from releases.rollbacks import decisive, holding, notices, outlook, phases
from releases.rollbacks.errors import RollbackRefusedError
from releases.rollbacks.models import Rollback, RollbackOrder
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import User

OPEN_FOR: Final = timedelta(hours=8)
GATES: Final = Actor.machine("gates")
SWEEPER: Final = Actor.machine("sweeper")


@dataclass(frozen=True)
class Wanted:
    """Why, and what becomes of the runs of each kind (`phases.KINDS`); what is not said goes on."""

    why: str
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Drafted:
    why: Redacted
    choices: dict[str, str]
    actor: Actor
    beside: Mapping[str, Any] = field(default_factory=dict)


def propose(release_id: UUID, wanted: Wanted, *, user: User) -> Rollback:
    """Store the rollback as it is shown. Raises `RollbackRefusedError`, `Denied`.

    Refused while another of the same release is unfinished, and while runs whose state the older
    combo cannot read are to go on under it.
    """
    why = hiding.text(wanted.why.strip())
    if not str(why):
        raise RollbackRefusedError("a rollback needs a reason; say in a few words what is wrong")
    try:
        choices = holding.choices_of(dict(wanted.choices), usual=phases.USUAL)
    except ValueError as error:
        raise RollbackRefusedError(f"that is no choice: {error}") from error
    with transaction.atomic():
        release = locking.locked(release_id)
        refuse_person(release.tenant_id, user)
        return _stored(release, _Drafted(why, choices, Actor.person(user)), by_person=True)


def propose_by_machine(
    release_id: UUID, *, why: Said, beside: Mapping[str, Any]
) -> Rollback | None:
    """A release is to be rolled back: for a person to order, or for its policy. It takes the place
    of what was planned and not started, whoever planned that.

    `beside`: what it answers (`breaches.as_json`). None when it is under way already. Raises
    `RollbackRefusedError`; what was planned stays then.
    """
    with transaction.atomic():
        release = locking.locked(release_id)
        _expire_of(release)
        said = hiding.text(hiding.said(why))
        for stale in release.rollbacks.filter(ended="", phase=phases.PLANNED):
            _end(stale, phases.WITHDRAWN, GATES, because=said)
        if release.rollbacks.filter(ended="").exists():
            return None
        drafted = _Drafted(said, dict(phases.BY_MACHINE), GATES, beside)
        rollback = _stored(release, drafted, by_person=True)
        notices.proposed(rollback)
    return rollback


def withdraw(rollback_id: UUID, *, user: User) -> Rollback:
    """Take a rollback back that was not started; its runs are free for others."""
    with transaction.atomic():
        rollback = locked(rollback_id, user)
        if rollback.phase != phases.PLANNED:
            raise RollbackRefusedError("it is under way: it can be paused, and not be taken back")
        order(rollback, phases.WITHDRAW, user)
        _end(rollback, phases.WITHDRAWN, Actor.person(user))
    rollback.refresh_from_db()
    return rollback


def locked(rollback_id: UUID, user: User) -> Rollback:
    """The unfinished rollback under its lock, and its release; the person permitted."""
    found = Rollback.objects.select_for_update(of=("self",))
    related = ("tenant", "from_combo", "to_combo", "release__candidate", "release__stable")
    rollback = found.select_related(*related).get(pk=rollback_id)
    refuse_person(rollback.tenant_id, user)
    if rollback.phase == phases.PLANNED and rollback.expires_at <= clock.now():
        raise RollbackRefusedError("nobody ordered it in time; propose it anew")
    if rollback.ended:
        raise RollbackRefusedError(f"this rollback is {rollback.ended} by now; load the page again")
    return rollback


def refuse_person(tenant_id: int, user: User, *rights: str) -> None:
    """Raises `Denied` without all of these rights; `manage_releases` is always one."""
    for right in (RIGHT, *rights):
        if user.pk not in access.who_may(tenant_id, right, [user.pk]):
            raise Denied(tenant_id, right)


def order(rollback: Rollback, said: str, user: User) -> None:
    """Keep what a person said, with the digest that they saw."""
    RollbackOrder.objects.create(
        rollback=rollback,
        tenant_id=rollback.tenant_id,
        said=said,
        user=user,
        digest=rollback.digest,
    )


def expire(rollback_id: UUID) -> bool:
    """End one that nobody ordered in time."""
    with transaction.atomic():
        found = Rollback.objects.select_for_update(of=("self",)).select_related("tenant")
        over = Q(ended="", phase=phases.PLANNED, expires_at__lte=clock.ClockTimestamp())
        rollback = found.filter(over, pk=rollback_id).first()
        if rollback is not None:
            _end(rollback, phases.EXPIRED, SWEEPER)
    return rollback is not None


def tell(rollback: Rollback, actor: Actor, verb: str, **detail: Fact) -> None:
    """One row of the audit trail."""
    told: dict[str, Fact] = {
        "number": rollback.number,
        **hiding.texts(phase=rollback.phase, digest=rollback.digest),
        **detail,
    }
    subject = ours("rollback:%(id)s", id=rollback.pk)
    audit.record(rollback.tenant, actor, hiding.text(verb), subject, **told)


def _stored(release: Release, drafted: _Drafted, *, by_person: bool) -> Rollback:
    _expire_of(release)
    if release.rollbacks.filter(ended="").exists():
        raise RollbackRefusedError("another rollback of this release is not finished")
    # As whoever drafts a saved plan: one after the other, so that a run is in one of them.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [NUMBERS, release.tenant_id])
    of_combo = outlook.of_combo(release.tenant, release.candidate)
    found = outlook.look(of_combo, release.stable)
    told = decisive.shown(release, found, drafted.choices, by_person=by_person)
    beside = {**found.counts, **drafted.beside}
    rollback = Rollback.objects.create(**_fields(release, drafted, told), beside=beside)
    rollback.refresh_from_db()
    holding.take(rollback, found)
    tell(rollback, drafted.actor, "proposed rollback", why=drafted.why, runs=len(found.runs))
    return rollback


def _expire_of(release: Release) -> None:
    for each in release.rollbacks.filter(ended="", phase=phases.PLANNED):
        expire(each.pk)


def _fields(release: Release, drafted: _Drafted, told: dict[str, Any]) -> dict[str, Any]:
    of_tenant = Rollback.objects.filter(tenant=release.tenant)
    return {
        "tenant": release.tenant,
        "release": release,
        "number": (of_tenant.aggregate(last=Max("number"))["last"] or 0) + 1,
        "from_combo": release.candidate,
        "to_combo": release.stable,
        "shown": canonical.dumps(told),
        "digest": decisive.digest(told),
        "choices": drafted.choices,
        "why": str(drafted.why),
        "needs_second": told["needs_second"],
        "proposed_by_id": drafted.actor.user_id,
        "actor": drafted.actor.name,
        "expires_at": clock.now() + OPEN_FOR,
    }


def _end(rollback: Rollback, how: str, actor: Actor, **detail: Fact) -> None:
    Rollback.objects.filter(pk=rollback.pk, ended="").update(ended=how, ended_at=Now())
    tell(rollback, actor, f"{how} rollback", **detail)
