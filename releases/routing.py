"""Tells the route of a task type where a made move led: one update, with all that new runs get."""

from django.db.models.functions import Now

from checkpoints.models import Combo, Route
from releases.errors import ReleaseRefusedError
from releases.gates import standing
from releases.models import Move, Release


def send(release: Release, move: Move) -> None:
    """The whole combo at once, inside the move's transaction. Raises `ReleaseRefusedError`."""
    canary = move.place == standing.CANARY
    route = {"tenant": release.tenant_id, "task_type": release.task_type}
    hit = Route.objects.filter(**route).update(
        stable=_stable_after(release, move),
        candidate=release.candidate if canary else None,
        share=move.share,
        share_of_critical=move.share_of_critical,
        salt=release.salt if canary else "",
        moved_at=Now(),
    )
    if hit != 1:
        raise ReleaseRefusedError("its route is gone; nothing was moved")


def _stable_after(release: Release, move: Move) -> Combo:
    return release.candidate if move.place == standing.STABLE else release.stable
