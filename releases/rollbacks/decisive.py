"""What is decisive of a rollback, and what keeps a release from being rolled back."""

from typing import Any, Final

from canonical import digests
from checkpoints.models import Route
from releases import demands
from releases.beginning import standing_of
from releases.gates import standing
from releases.gates.standing import NotFromHereError
from releases.models import UNDER_WAY, Release
from releases.rollbacks import phases
from releases.rollbacks.errors import RollbackRefusedError
from releases.rollbacks.outlook import Outlook

TAG: Final = "release-rollback"


def shown(
    release: Release, outlook: Outlook, choices: dict[str, str], *, by_person: bool
) -> dict[str, Any]:
    """Whoever says yes to a rollback says yes to exactly this. Raises `RollbackRefusedError`."""
    refuse(release, by_person=by_person)
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
    now = Route.objects.filter(tenant=release.tenant_id, task_type=release.task_type)
    expected = release.candidate_id if release.place == standing.STABLE else release.stable_id
    if not now.filter(stable=expected).exists():
        raise RollbackRefusedError(
            "what is stable has changed since; roll back the release that changed it"
        )
