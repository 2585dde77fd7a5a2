"""Which live runs get a twin on the candidate, decided by their key alone; and which twins are drills."""

import logging
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from approvals import clock
from checkpoints import arms, states, twins
from checkpoints.errors import RecordError
from checkpoints.ids import lowest_id_at
from checkpoints.models import Run, Twin
from releases.gates import standing, twinning
from releases.gates.policies import BadPolicyError
from releases.gates.twinning import Twinning
from releases.looks.taking import policy_of
from releases.models import Release
from tenants.actors import Actor
from tenants.paces import Turns

log = logging.getLogger(__name__)

SHADOWS: Final = Actor.machine("shadows")
PLACES: Final = (standing.SHADOW, standing.CANARY)
# Who began longer ago has seen another world than its twin would.
FRESH: Final = timedelta(seconds=60)
LOOKED_AT: Final = 500
MOST_RELEASES: Final = 200
_turns = Turns()


def start_due() -> int:
    """Start the twins that are due; returns how many. Bounded by `at_once` of each release."""
    under_way = Release.objects.filter(place__in=PLACES)
    part = Release.objects.filter(pk__in=_turns.part(under_way, MOST_RELEASES))
    return sum(_started(each) for each in part.select_related("tenant", "candidate"))


def share(release: Release, wanted: Twinning) -> int:
    """The share of keys whose runs get a twin where the release stands, of 10,000."""
    if release.place == standing.SHADOW:
        return wanted.share
    return wanted.share_of_canary if release.place == standing.CANARY else 0


def salt(release: Release, what: str) -> str:
    """Another one for each question: who is in the canary says nothing of who has a twin."""
    return f"{release.salt}/{what}"


def dies_at(release: Release, wanted: Twinning, business_key: str) -> int | None:
    """After which checkpoint the worker of this twin dies; None where it is no drill."""
    drill = salt(release, "drill")
    if not arms.takes(drill, business_key, share=wanted.drills):
        return None
    return twinning.dies_at(drill, business_key)


def at_work(series: UUID) -> QuerySet[Twin]:
    """The twins of a release that take up workers: those that only wait for their live run do not."""
    waits = Q(run__status=states.WAITING, run__reason=states.FOR_SAME_KEY)
    return Twin.objects.filter(series=series, run__status__in=states.LIVE).exclude(waits)


def _started(release: Release) -> int:
    try:
        wanted = policy_of(release).shadows
    except BadPolicyError as error:
        log.warning("release %s gets no twins: %s", release.pk, error)
        return 0
    room = wanted.at_once - at_work(release.pk).count()
    if room <= 0:
        return 0
    taken, dice = share(release, wanted), salt(release, "shadow")
    fresh = _fresh(release).values_list("pk", "business_key").order_by("pk")[:LOOKED_AT]
    chosen = [pk for pk, key in fresh if arms.takes(dice, key, share=taken)][:room]
    # Whole, with all that they were given, only those that get one.
    live = Run.objects.filter(pk__in=chosen).select_related("tenant").order_by("pk")
    return sum(_start(release, run, wanted) for run in live)


def _fresh(release: Release) -> QuerySet[Run]:
    """Live runs of the stable combo that began just now and have no twin. By runs_by_tenant_newest."""
    since = max(release.moved_at, clock.now() - FRESH)
    first = lowest_id_at(int(since.timestamp() * 1000))
    has_one = Twin.objects.filter(series=release.pk, twin_of=OuterRef("pk"))
    runs = Run.objects.filter(tenant=release.tenant_id, pk__gte=first, created_at__gte=since)
    own = runs.filter(
        task_type=release.task_type,
        combo=release.stable_id,
        mode=states.LIVE_MODE,
        forked_from=None,
    )
    return own.filter(~Exists(has_one))


def _start(release: Release, run: Run, wanted: Twinning) -> bool:
    dies = dies_at(release, wanted, run.business_key)
    try:
        made = twins.start(run, release.candidate, series=release.pk, actor=SHADOWS, dies_at=dies)
    except RecordError as refusal:  # a stop is in force, or the task does not run here
        log.info("no twin of run %s: %s", run.pk, refusal)
        return False
    return made is not None
