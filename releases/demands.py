"""What a move of a release needs before it is made, and whether two people make it."""

from typing import Any, Final

from checkpoints import rungs
from checkpoints.models import Route, Stop
from releases.gates import standing
from releases.gates.policies import BadPolicyError
from releases.looks import taking
from releases.models import UNDER_WAY, Release

# Who moves traffic on to a candidate answers for it with somebody else; who stops it, alone.
TWO_PEOPLE: Final = (standing.PROMOTE,)
# Moves after which live runs of the candidate write.
SENDS: Final = (standing.WIDEN, standing.PROMOTE)
# Moves after which runs of the candidate are started, if only as shadows.
RUNS: Final = (standing.BEGIN, standing.LIFT, *SENDS)


def lacking(release: Release, kind: str) -> list[str]:
    """What is missing for such a move, in words; nothing when it can be made."""
    stopped = _stopped(release) if kind in RUNS else []
    if kind == standing.LIFT:
        return stopped + _in_the_way(release)
    if stopped:
        return stopped
    below = _below_write(release) if kind in SENDS else []
    if below:
        return below
    if kind == standing.PROMOTE and not taking.allows_promotion(release):
        return ["no look of its gates allows it since it moved last"]
    return []


def told(release: Release, kind: str) -> dict[str, Any]:
    """The decisive part of what it is judged by, as JSON: what the yes of a person is bound to."""
    look = taking.newest(release)
    return {
        "needs_second": needs_second(release, kind),
        "look": None if look is None else [look.number, look.verdict, look.sample_digest],
        "rungs": _rungs(release) if kind in SENDS else {},
    }


def needs_second(release: Release, kind: str) -> bool:
    """Whether a second person has to say yes: to a promotion, and to what was frozen by machine."""
    if kind == standing.ROLL_BACK:
        return release.place == standing.STABLE or _policy_asks_for_two(release)
    return kind in TWO_PEOPLE or (kind == standing.LIFT and release.is_frozen)


def _policy_asks_for_two(release: Release) -> bool:
    try:
        return taking.policy_of(release).roll_back_people > 1
    except BadPolicyError:
        return True  # what it demands cannot be read: then it may be that


def _rungs(release: Release) -> dict[str, str]:
    tools = rungs.tools_of(release.candidate)
    return rungs.all_of(release.tenant_id, release.candidate_id, tools)


def _below_write(release: Release) -> list[str]:
    stand = _rungs(release).items()
    return [
        f"its ladder ends at “{rung}” for {tool}, and live runs write"
        for tool, rung in stand
        if rung != rungs.WRITE
    ]


def _stopped(release: Release) -> list[str]:
    """A rollback leaves stops of its combo behind, and people lift them."""
    stops = Stop.objects.filter(
        tenant=release.tenant_id, combo=release.candidate_id, lifted_at=None
    )
    said = "new runs or effects of its candidate are stopped here; lift that stop first"
    return [said] if stops.exists() else []


def _in_the_way(release: Release) -> list[str]:
    found = []
    others = Release.objects.filter(tenant=release.tenant_id, task_type=release.task_type)
    under_way = others.filter(place__in=UNDER_WAY).exclude(pk=release.pk).first()
    if under_way is not None:
        found.append(f"release {under_way.number} is under way; end it first")
    rollback = release.rollbacks.filter(ended="").first()
    if rollback is not None:
        found.append(f"its rollback {rollback} is not closed; end that first")
    route = Route.objects.filter(tenant=release.tenant_id, task_type=release.task_type)
    if not route.filter(stable=release.stable_id).exists():
        found.append("what is stable has changed since; begin a new release")
    return found
