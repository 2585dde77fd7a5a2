"""Releases under way, as metrics: where they stand, how much they get, what waits for a word."""

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Count, F, Max

from canonical import json as canonical
from checkpoints.arms import PLACES
from config.metrics.combos import Names
from config.metrics.tally import Tally
from releases.looks.models import Look
from releases.models import UNDER_WAY, Move, Release

# Of releases under way, the newest: more than any installation has.
MOST: Final = 500
WHOLE: Final = "whole"
NONE: Final = "none"


def releases(tally: Tally) -> None:
    """One release at most is under way for each tenant and task type."""
    for place in UNDER_WAY:
        tally.nothing("kedge_releases_under_way", place=place)
    for name in ("kedge_releases_frozen", "kedge_release_moves_pending"):
        tally.nothing(name)
    under_way = Release.objects.filter(place__in=UNDER_WAY).order_by()
    for tenant, place, is_frozen, n in under_way.values_list(
        "tenant_id", "place", "is_frozen"
    ).annotate(n=Count("pk")):
        tally.add("kedge_releases_under_way", n, tenant, place=place)
        tally.add("kedge_releases_frozen", n if is_frozen else 0, tenant)
    shares = list(under_way.values_list("tenant_id", "candidate_id").annotate(most=Max("share")))
    names = Names(candidate for _, candidate, _ in shares)
    for tenant, candidate, share in shares:
        tally.add("kedge_release_share_ratio", share / PLACES, tenant, **names.of(candidate))
    waiting = Move.objects.filter(ended="", release__place__in=UNDER_WAY).order_by()
    for tenant, n in waiting.values_list("tenant_id").annotate(n=Count("pk")):
        tally.add("kedge_release_moves_pending", n, tenant)


def gates(tally: Tally) -> None:
    """What the newest look of each release under way said, measure by measure."""
    newest = Look.objects.filter(
        release__place__in=UNDER_WAY, after_move=F("release__last_move")
    ).order_by("release", "-number")
    said = {
        look.release_id: canonical.loads_object(bytes(look.whole))
        for look in newest.distinct("release").only("release_id", "whole")[:MOST]
    }
    under_way = Release.objects.filter(place__in=UNDER_WAY).order_by("-begun_at")
    rows = list(under_way.values_list("pk", "tenant_id", "candidate_id")[:MOST])
    names = Names(candidate for *_, candidate in rows)
    for release, tenant, candidate in rows:
        for measure, verdict in _verdicts(said.get(release)):
            labels = {**names.of(candidate), "measure": measure, "verdict": verdict}
            tally.add("kedge_release_gate_verdicts", 1, tenant, **labels)


def _verdicts(whole: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    yield WHOLE, whole["verdict"] if whole else NONE
    for finding in whole["findings"] if whole else []:
        yield finding["measure"], finding["verdict"]
