"""Saying which policy the next releases of a tenant take; those under way keep theirs."""

from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from canonical import json as canonical
from releases.beginning import RIGHT, one_at_a_time
from releases.errors import PolicyMovedError, PolicyProofNeededError, ReleaseRefusedError
from releases.gates import policies
from releases.gates.policies import BadPolicyError
from releases.usual import reading
from releases.usual.models import UsualPolicy
from releases.usual.reading import InForce
from tenants import access, audit, clock
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

UNREADABLE: Final = "unreadable"


@dataclass(frozen=True)
class Wanted:
    """The policy of a task type ("": of all of them) as JSON, and why.

    `policy` None: nothing of its own any more, so that the wider one holds again. `seen` is the digest
    of what held as the person was shown it.
    """

    task_type: str
    policy: Any
    why: str
    seen: str


def say(tenant: Tenant, wanted: Wanted, *, user: User, actor: Actor) -> UsualPolicy:
    """From here on releases that begin take this policy, and keep it for life.

    `actor` is `user` with how they last showed that it is them. Raises `BadPolicyError` (with the
    member), `ReleaseRefusedError` (no reason, nothing new), `PolicyProofNeededError`,
    `PolicyMovedError`, `Denied`.
    """
    why = str(hiding.text(wanted.why.strip()))
    if not why:
        raise ReleaseRefusedError("a policy is said for a reason; say it in a few words")
    policy = None if wanted.policy is None else policies.read(wanted.policy)
    with transaction.atomic():
        one_at_a_time(tenant)
        _admit(tenant, user, actor)
        before = held(tenant, wanted.task_type)
        if digest_of(before) != wanted.seen:
            raise PolicyMovedError(PolicyMovedError.__doc__)
        _refuse_idle(before, wanted, "" if policy is None else policy.digest)
        said = UsualPolicy.objects.create(
            tenant=tenant,
            task_type=wanted.task_type,
            policy=b"" if policy is None else canonical.dumps(policy.as_json()),
            policy_digest="" if policy is None else policy.digest,
            why=why,
            said_by=user,
        )
        after = digest_of(held(tenant, wanted.task_type))
        _tell(said, digest_of(before), after, actor)
    said.refresh_from_db()
    return said


def held(tenant: Tenant, task_type: str) -> InForce | None:
    """What holds of a scope; None where it cannot be read, which saying another one mends."""
    try:
        return reading.in_force(tenant, task_type)
    except BadPolicyError:
        return None


def digest_of(held: InForce | None) -> str:
    """What names the policy that holds, for whoever was shown it."""
    return UNREADABLE if held is None else held.policy.digest


def _admit(tenant: Tenant, user: User, actor: Actor) -> None:
    if actor.user_id != user.pk or user.pk not in access.who_may(tenant.pk, RIGHT, [user.pk]):
        raise Denied(tenant.pk, RIGHT)
    if not actor.is_proved(clock.now()):
        raise PolicyProofNeededError(PolicyProofNeededError.__doc__)


def _refuse_idle(before: InForce | None, wanted: Wanted, digest: str) -> None:
    if before is None:
        return
    if wanted.policy is None and not before.is_of(wanted.task_type):
        raise ReleaseRefusedError(
            "nothing of its own is said of it, so there is nothing to take back"
        )
    if digest == before.policy.digest:
        raise ReleaseRefusedError("that is what holds already")


def _tell(said: UsualPolicy, was: str, now: str, actor: Actor) -> None:
    told = hiding.texts(task_type=said.task_type, was=was, why=said.why, **{"is": now})
    task = said.task_type or "all tasks"
    subject = hiding.text(f"release policy of {task}")
    verb = "took release policy back" if not said.policy_digest else "said release policy"
    audit.record(said.tenant, actor, hiding.text(verb), subject, **told, **actor.proof_told())
