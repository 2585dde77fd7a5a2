"""Beginning a release: a candidate beside what is stable, and from now on new runs keep to what is stable."""

import secrets
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import Max

from canonical import json as canonical
from canonical.redaction import ours
from checkpoints import rungs
from checkpoints.models import Combo, Route, Run
from releases.errors import ReleaseRefusedError
from releases.gates import policies, standing
from releases.gates.policies import BadPolicyError
from releases.models import UNDER_WAY, Release
from releases.usual.reading import InForce, in_force
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

RIGHT: Final = "manage_releases"
NUMBERS: Final = 0x4B524C53  # "KRLS": the first half of an advisory lock, the tenant is the second


@dataclass(frozen=True)
class Candidate:
    """What is to become stable, and why. `policy` is JSON of what its gates demand; None: the tenant's.

    `stable` is what it is compared with: needed only where no run and no route tells.
    """

    combo: Combo
    why: str
    policy: Any = None
    stable: Combo | None = None


def begin(tenant: Tenant, candidate: Candidate, *, user: User) -> Release:
    """Store the release at its first place; no run of anybody's is sent to the candidate yet.

    Raises `ReleaseRefusedError` (another is under way, nothing to compare with, a policy that
    cannot be read, no reason), `Denied`.
    """
    if user.pk not in access.who_may(tenant.pk, RIGHT, [user.pk]):
        raise Denied(tenant.pk, RIGHT)
    why = candidate.why.strip()
    if not why:
        raise ReleaseRefusedError("a release needs a reason; say in a few words what is better")
    with transaction.atomic():
        one_at_a_time(tenant)
        taken = _policy(tenant, candidate)
        task_type = candidate.combo.task_type
        last = _last(tenant, task_type)
        if last is not None and last.place in UNDER_WAY:
            raise ReleaseRefusedError(
                f"release {last.number} of {task_type} is under way; end it first"
            )
        route = _routed(tenant, candidate, user)
        number = Release.objects.filter(tenant=tenant).aggregate(last=Max("number"))["last"] or 0
        release = Release.objects.create(
            tenant=tenant,
            number=number + 1,
            task_type=task_type,
            candidate=candidate.combo,
            stable=route.stable,
            policy=canonical.dumps(taken.policy.as_json()),
            policy_digest=taken.policy.digest,
            policy_from=taken.said,
            why=str(hiding.text(why)),
            begun_by=user,
            is_frozen=last is not None and standing.replaced(standing_of(last)).is_frozen,
            salt=secrets.token_hex(16),
        )
        rungs.begins(tenant, candidate.combo, user=user)
        _tell(release, user)
    release.refresh_from_db()
    return release


def one_at_a_time(tenant: Tenant) -> None:
    """Until the transaction ends nobody else begins a release here, or says another policy."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [NUMBERS, tenant.pk])


def _policy(tenant: Tenant, candidate: Candidate) -> InForce:
    """What it carries for life: the policy it was given, else that of its tenant as it stands now."""
    try:
        if candidate.policy is not None:
            return InForce(policies.read(candidate.policy), None)
        return in_force(tenant, candidate.combo.task_type)
    except BadPolicyError as error:
        raise ReleaseRefusedError(
            f"the policy cannot be read at {error}; say one that can be, then begin"
        ) from error


def _last(tenant: Tenant, task_type: str) -> Release | None:
    found = Release.objects.select_for_update().filter(tenant=tenant, task_type=task_type)
    return found.order_by("-number").first()


def _routed(tenant: Tenant, candidate: Candidate, user: User) -> Route:
    """The route of the task type, locked; made now where there was none, to what is stable."""
    task_type = candidate.combo.task_type
    found = Route.objects.select_for_update(of=("self",)).filter(tenant=tenant, task_type=task_type)
    route = found.select_related("stable").first()
    if route is None:
        stable = candidate.stable or _ran_before(tenant, candidate.combo)
        # Before the route is there: from then on what is not stable stands at the bottom.
        before = {each.pk: each for each in (stable, *rungs.unfinished(tenant, task_type))}
        Route.objects.create(tenant=tenant, task_type=task_type, stable=stable)
        rungs.ran_before(tenant, before.values(), user=user)
        route = found.select_related("stable").get()
    if route.stable == candidate.combo:
        raise ReleaseRefusedError("this combo is the stable one already")
    if candidate.stable not in (None, route.stable):
        raise ReleaseRefusedError(f"what is stable here is {route.stable}, not {candidate.stable}")
    return route


def _ran_before(tenant: Tenant, candidate: Combo) -> Combo:
    newest = Run.objects.filter(tenant=tenant, task_type=candidate.task_type, mode="live")
    run = newest.exclude(combo=candidate).select_related("combo").order_by("-id").first()
    if run is None:
        raise ReleaseRefusedError(
            "nothing tells what is stable here: no other combo ever ran; name the stable combo"
        )
    return run.combo


def _tell(release: Release, user: User) -> None:
    told = hiding.texts(
        candidate=str(release.candidate),
        stable=str(release.stable),
        policy=release.policy_digest,
        why=release.why,
    )
    subject = ours("release:%(id)s", id=release.pk)
    audit.record(release.tenant, Actor.person(user), "began release", subject, **told)


def standing_of(release: Release) -> standing.Standing:
    """Where it stands, as the pure rules say it."""
    return standing.Standing(release.place, release.is_frozen)
