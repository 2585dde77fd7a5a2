"""What the page of a policy shows, and what that of a release shows of the one it carries."""

from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from canonical import json as canonical
from checkpoints.models import Route
from checkpoints.pages.forms import task_types, title_of
from execution.pages.people import may
from releases.beginning import RIGHT
from releases.gates import policies
from releases.gates.policies import BadPolicyError, Policy
from releases.looks import taking
from releases.models import Release
from releases.usual import reading, saying, telling
from releases.usual.forms import PolicyForm, SayForm, typed
from releases.usual.reading import InForce
from releases.usual.telling import Change, Line
from tenants.models import Tenant
from tenants.scope import TenantRequest


@dataclass(frozen=True)
class Asked:
    """What somebody asked of the page: the fields as they typed them, and once they are good what is
    `wanted` (None: take back what was said), to be shown and then said."""

    form: PolicyForm | None = None
    wanted: Policy | None = None
    shows: bool = False
    say: SayForm | None = None


@dataclass(frozen=True)
class Preview:
    """What another policy would change, and what the page posts back to say exactly that."""

    changes: list[Change]
    wanted: str
    seen: str
    takes_back: bool


@dataclass(frozen=True)
class Carried:
    """The policy of one release in words; `wrong` says why it cannot be read."""

    switches: list[Line] = field(default_factory=list)
    thresholds: list[Line] = field(default_factory=list)
    is_usual: bool = False
    wrong: str = ""


def of_release(release: Release) -> Carried:
    """What it took as it began, and keeps."""
    try:
        policy = taking.policy_of(release)
    except BadPolicyError as error:
        return Carried(wrong=str(error))
    return Carried(telling.switches(policy), telling.thresholds(policy), policy == policies.USUAL)


def context(request: TenantRequest, tenant: Tenant, task_type: str, asked: Asked) -> dict[str, Any]:
    """All of it; forms only for who may say a policy."""
    held = saying.held(tenant, task_type)
    holds = policies.USUAL if held is None else held.policy
    mine = request.access.may(tenant.pk, RIGHT)
    history = reading.history(tenant, task_type)
    return {
        "task_type": task_type,
        "task": title_of(task_type) if task_type else "",
        "held": held,
        "switches": [] if held is None else telling.switches(holds),
        "thresholds": [] if held is None else telling.thresholds(holds),
        "has_own": bool(history and history[0].policy_digest),
        "history": history,
        "tasks": [] if task_type else _tasks(tenant),
        "may": mine,
        "who": may(tenant, RIGHT, request.user),
        "form": (asked.form or PolicyForm(initial=typed(holds))) if mine else None,
        "preview": _preview(tenant, task_type, held, asked) if mine and asked.shows else None,
        "say": asked.say or SayForm(),
        "section": "releases",
    }


def address(tenant: Tenant, task_type: str) -> str:
    """The page of what is said of a task, or of all of them."""
    if task_type:
        return reverse("task_policy", args=[tenant.slug, task_type])
    return reverse("release_policy", args=[tenant.slug])


def is_known(tenant: Tenant, task_type: str) -> bool:
    """Whether something of that name is or was released here, or can run."""
    here = {"tenant": tenant, "task_type": task_type}
    if task_type in dict(task_types()) or Route.objects.filter(**here).exists():
        return True
    return Release.objects.filter(**here).exists()


def _preview(tenant: Tenant, task_type: str, held: InForce | None, asked: Asked) -> Preview:
    after = asked.wanted or _wider(tenant, task_type)
    document = None if asked.wanted is None else asked.wanted.as_json()
    return Preview(
        telling.differences(held.policy if held else None, after),
        canonical.dumps(document).decode(),
        saying.digest_of(held),
        takes_back=asked.wanted is None,
    )


def _wider(tenant: Tenant, task_type: str) -> Policy | None:
    try:
        return reading.wider(tenant, task_type).policy
    except BadPolicyError:
        return None


def _tasks(tenant: Tenant) -> list[tuple[str, str, bool]]:
    """Each task: its name, its title, and whether something of its own is said of it."""
    own = {each.task_type for each in reading.said_now(tenant)} - {reading.ALL}
    titles = dict(task_types())
    return [(name, titles.get(name, name), name in own) for name in sorted(own | titles.keys())]
