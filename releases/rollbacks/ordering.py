"""What people order of a rollback: second it, start it, pause it, let it go on.

Each posts back the digest that the page showed, and is judged under the lock of the rollback.
"""

from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from canonical import json as canonical
from releases import locking
from releases.gates import policies
from releases.gates.policies import BadPolicyError
from releases.looks import taking
from releases.models import Release
from releases.numbers import safety
from releases.rollbacks import decisive, holding, notices, outlook, phases
from releases.rollbacks.errors import (
    RollbackMovedError,
    RollbackRefusedError,
    SecondNeededError,
)
from releases.rollbacks.models import Rollback
from releases.rollbacks.proposing import GATES, locked, order, tell
from tenants import access
from tenants.actors import Actor
from tenants.models import User

RIGHT = "manage_releases"


def second(rollback_id: UUID, digest: str, *, user: User) -> Rollback:
    """Say yes to it as the second person; somebody else starts it."""
    with transaction.atomic():
        rollback = _planned(rollback_id, digest, user)
        if not rollback.needs_second:
            raise RollbackRefusedError("this rollback takes no second person")
        if user.pk == rollback.proposed_by_id:
            raise RollbackRefusedError("you proposed it: somebody else has to say yes to it")
        if rollback.orders.filter(said=phases.SECOND).exists():
            raise RollbackRefusedError("somebody said yes to it already")
        order(rollback, phases.SECOND, user)
        tell(rollback, Actor.person(user), "seconded rollback")
    return rollback


def start(rollback_id: UUID, digest: str, *, user: User) -> Rollback:
    """Let the sweeper begin with the first phase; what is decisive is looked at again before.

    Raises `RollbackMovedError` when any of it is different by now, `SecondNeededError`,
    `RollbackRefusedError` (a saved plan has some of its runs), `Denied`.
    """
    with transaction.atomic():
        rollback = _planned(rollback_id, digest, user)
        _refuse_moved(rollback)
        if rollback.needs_second and not _is_seconded(rollback, user):
            raise SecondNeededError
        order(rollback, phases.START, user)
        _begin(rollback, user)
        tell(rollback, Actor.person(user), "started rollback")
    rollback.refresh_from_db()
    return rollback


def start_by_machine(rollback_id: UUID) -> bool:
    """The policy of its release says so, and no machine rolled it back before (A52). False when not."""
    with transaction.atomic():
        found = Rollback.objects.select_for_update(of=("self",))
        related = ("tenant", "from_combo", "to_combo", "release__candidate", "release__stable")
        rollback = found.select_related(*related).get(pk=rollback_id)
        release = locking.locked(rollback.release_id)
        standing = rollback.phase == phases.PLANNED and not rollback.ended
        if not standing or rollback.proposed_by_id is not None or not rolls_back(release):
            return False
        _refuse_moved(rollback)
        _begin(rollback, None)
        tell(rollback, GATES, "started rollback")
        notices.began(rollback)
    return True


def rolls_back(release: Release) -> bool:
    """Whether a machine may roll this release back by itself now: its policy lets every stop, or a
    safety constraint is broken and its policy leaves that to machines, as is usual."""
    try:
        policy = taking.policy_of(release)
    except BadPolicyError:
        return False
    if release.is_frozen:
        return False
    if policy.on_stop == policies.ROLL_BACK:
        return True
    return policy.on_unsafe == policies.ROLL_BACK and _is_unsafe(release)


def _is_unsafe(release: Release) -> bool:
    """Whether a safety constraint is broken. One that cannot be read rolls nothing back."""
    found = safety.constraints(release.tenant, release.candidate, release.begun_at)
    return any(each.broken for each in found)


def pause(rollback_id: UUID, *, user: User) -> Rollback:
    """Nothing more of it is done before a person lets it go on; what is stopped stays stopped."""
    with transaction.atomic():
        rollback = _under_way(rollback_id, user)
        if rollback.paused_at is not None:
            raise RollbackRefusedError("it is paused already")
        order(rollback, phases.PAUSE, user)
        Rollback.objects.filter(pk=rollback.pk).update(paused_at=Now(), paused_by=user)
        tell(rollback, Actor.person(user), "paused rollback")
    rollback.refresh_from_db()
    return rollback


def go_on(rollback_id: UUID, *, user: User) -> Rollback:
    """Let a paused rollback go on where it stands."""
    with transaction.atomic():
        rollback = _under_way(rollback_id, user)
        if rollback.paused_at is None:
            raise RollbackRefusedError("it is not paused")
        order(rollback, phases.GO_ON, user)
        Rollback.objects.filter(pk=rollback.pk).update(paused_at=None, paused_by=None)
        tell(rollback, Actor.person(user), "let rollback go on")
    rollback.refresh_from_db()
    return rollback


def _planned(rollback_id: UUID, digest: str, user: User) -> Rollback:
    rollback = locked(rollback_id, user)
    if rollback.phase != phases.PLANNED:
        raise RollbackRefusedError("it is under way already; load the page again")
    if digest != rollback.digest:
        raise RollbackMovedError
    return rollback


def _under_way(rollback_id: UUID, user: User) -> Rollback:
    rollback = locked(rollback_id, user)
    if rollback.phase == phases.PLANNED:
        raise RollbackRefusedError("it was not started yet")
    return rollback


def _refuse_moved(rollback: Rollback) -> None:
    """What people say yes to is made anew under the lock of the release."""
    release = locking.locked(rollback.release_id)
    of_combo = outlook.of_combo(rollback.tenant, rollback.from_combo)
    found = outlook.look(of_combo, rollback.to_combo)
    told = decisive.shown(release, found, dict(rollback.choices), by_person=True)
    if canonical.dumps(told) != bytes(rollback.shown) or decisive.digest(told) != rollback.digest:
        raise RollbackMovedError
    holding.take_in(rollback)
    others = holding.hold_the_rest(rollback)
    if others:
        raise RollbackRefusedError(
            f"some of its runs are in {', '.join(others)}: let that finish, or discard it, first"
        )


def _is_seconded(rollback: Rollback, user: User) -> bool:
    said = rollback.orders.filter(said=phases.SECOND, digest=rollback.digest).exclude(user=user)
    seconder = said.values_list("user_id", flat=True).first()
    return seconder is not None and seconder in access.who_may(
        rollback.tenant_id, RIGHT, [seconder]
    )


def _begin(rollback: Rollback, user: User | None) -> None:
    hit = Rollback.objects.filter(pk=rollback.pk, phase=phases.PLANNED, ended="").update(
        phase=phases.STOPPING, phase_at=Now(), started_by=user, started_at=Now()
    )
    if hit != 1:
        raise RollbackMovedError
    rollback.phase = phases.STOPPING
