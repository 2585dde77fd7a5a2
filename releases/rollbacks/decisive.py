"""What is decisive of a rollback, and what keeps a release from being rolled back."""

from typing import Any, Final

from django.db.models import QuerySet

from canonical import digests
from checkpoints.models import Route
from releases import demands
from releases.beginning import standing_of
from releases.gates import standing
from releases.gates.standing import NotFromHereError
from releases.models import UNDER_WAY, Release
from releases.rollbacks import phases
from releases.rollbacks.errors import RollbackRefusedError
from releases.rollbacks.models import Rollback
from releases.rollbacks.outlook import Outlook

TAG: Final = "release-rollback"


def shown(
    release: Release, outlook: Outlook, choices: dict[str, str], *, by_person: bool
) -> dict[str, Any]:
    """Whoever says yes to a rollback says yes to exactly this. Raises `RollbackRefusedError`."""
    refuse(release, by_person=by_person)
    _refuse_back_to_withdrawn(release)
    if choices[phases.FORWARD_ONLY] == phases.TO_GO_ON and outlook.forward_only:
        first = outlook.forward_only[0]
        raise RollbackRefusedError(
            f"{len(outlook.forward_only)} runs cannot go on under the older combo: {first.sentence}"
            " Choose what else becomes of them: fork, cancel or wait"
        )
    return {
        "release": str(release.pk),
        "after_move": release.last_move,
        "kind": standing.ROLL_BACK,
        "from": [release.place, release.share, release.share_of_critical],
        "from_combo": release.candidate.hex,
        "to_combo": release.stable.hex,
        "parts": phases.parts_differ(
            bytes(release.candidate.manifest), bytes(release.stable.manifest)
        ),
        "policy": release.policy_digest,
        "needs_second": demands.needs_second(release, standing.ROLL_BACK),
        "choices": choices,
        "forward_only": outlook.boundaries,
    }


def digest(told: dict[str, Any]) -> str:
    """What names exactly this rollback."""
    return digests.tagged(TAG, told)


def refuse(release: Release, *, by_person: bool) -> None:
    """Raises `RollbackRefusedError` when traffic cannot go back from where the release stands."""
    if release.moves.filter(number=release.last_move, kind=standing.ROLL_BACK).exists():
        raise RollbackRefusedError(
            "it was rolled back already, and was not lifted since: there is nothing to go back from"
        )
    try:
        standing.moved(standing_of(release), standing.ROLL_BACK, by_person=by_person)
    except NotFromHereError as error:
        raise RollbackRefusedError(str(error)) from error
    others = Release.objects.filter(tenant=release.tenant_id, task_type=release.task_type)
    on_top = others.filter(place__in=UNDER_WAY).exclude(pk=release.pk).first()
    if on_top is not None:
        raise RollbackRefusedError(
            f"release {on_top.number} is under way on top of it; stop that or roll it back first"
        )
    _refuse_under_one(release)
    now = Route.objects.filter(tenant=release.tenant_id, task_type=release.task_type)
    expected = release.candidate_id if release.place == standing.STABLE else release.stable_id
    if not now.filter(stable=expected).exists():
        raise RollbackRefusedError(
            "what is stable has changed since; roll back the release that changed it"
        )


def hinders(release: Release) -> str:
    """Why a person cannot plan or start a rollback of it now; "" when they can."""
    try:
        refuse(release, by_person=True)
        _refuse_back_to_withdrawn(release)
    except RollbackRefusedError as refusal:
        return str(refusal)
    return ""


def _refuse_under_one(release: Release) -> None:
    """Another rollback leads back to its candidate: first that is stable again, then it is withdrawn."""
    leading_here = _unfinished(release, to_combo=release.candidate_id).filter(
        phase__in=(phases.STOPPING, phases.HOLDING, phases.RESTORING)
    )
    first = leading_here.first()
    if first is not None:
        raise RollbackRefusedError(
            f"rollback {first} restores its combo just now; it can follow when that is in phase 4"
        )


def _refuse_back_to_withdrawn(release: Release) -> None:
    """Not asked of one that is under way: of two, the one on top restores first."""
    withdrawing = _unfinished(release, from_combo=release.stable_id).first()
    if withdrawing is not None:
        raise RollbackRefusedError(
            f"what it would go back to is withdrawn itself by rollback {withdrawing}; end that first"
        )


def _unfinished(release: Release, **of: int) -> QuerySet[Rollback]:
    others = Rollback.objects.filter(tenant=release.tenant_id, ended="", **of)
    return others.exclude(release=release).order_by("number")
