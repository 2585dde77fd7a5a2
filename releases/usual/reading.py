"""Which policy holds for the releases of a task, and who said it."""

from dataclasses import dataclass
from typing import Final

from canonical import json as canonical
from releases.gates import policies
from releases.gates.policies import BadPolicyError, Policy
from releases.usual.models import UsualPolicy
from tenants.models import Tenant

# What stands for all task types of a tenant.
ALL: Final = ""
MOST: Final = 50


@dataclass(frozen=True)
class InForce:
    """A policy, and what was said of it; None: nobody said any, so it is the house's usual one."""

    policy: Policy
    said: UsualPolicy | None

    def is_of(self, task_type: str) -> bool:
        """Whether it was said of just this scope, and not of a wider one."""
        return self.said is not None and self.said.task_type == task_type


def in_force(tenant: Tenant, task_type: str = ALL) -> InForce:
    """What a release of this task takes now: the task's own, else the tenant's, else the house's.

    Raises `BadPolicyError` where what was said is no policy (any more): then nothing is taken.
    """
    newest = {each.task_type: each for each in said_now(tenant, {task_type, ALL})}
    said = newest.get(task_type) or newest.get(ALL)
    if said is None:
        return InForce(policies.USUAL, None)
    return InForce(policy_of(said), said)


def wider(tenant: Tenant, task_type: str) -> InForce:
    """What holds where this scope says nothing of its own. Raises `BadPolicyError`."""
    return in_force(tenant) if task_type else InForce(policies.USUAL, None)


def said_now(tenant: Tenant, of: set[str] | None = None) -> list[UsualPolicy]:
    """What holds of each scope that the tenant speaks about, or of some, all tasks first."""
    found = UsualPolicy.objects.filter(tenant=tenant).select_related("said_by")
    if of is not None:
        found = found.filter(task_type__in=of)
    newest = found.order_by("task_type", "-id").distinct("task_type")
    return [each for each in newest if each.policy_digest]


def history(tenant: Tenant, task_type: str) -> list[UsualPolicy]:
    """All that was said of a scope, newest first, at most `MOST`."""
    found = UsualPolicy.objects.filter(tenant=tenant, task_type=task_type)
    return list(found.select_related("said_by").order_by("-id")[:MOST])


def policy_of(said: UsualPolicy) -> Policy:
    """What was said, as its digest names it. Raises `BadPolicyError`."""
    found = policies.read(canonical.loads_object(said.policy))
    if found.digest != said.policy_digest:
        raise BadPolicyError("", "is not what its digest names")
    return found
