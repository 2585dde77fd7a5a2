"""Keeps what a twin did beside its live run, once, as soon as that can be said."""

import logging
from dataclasses import asdict
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from checkpoints import states
from checkpoints.models import Run, Twin
from reconciliation.calls import wordings
from reconciliation.models import Action
from releases.models import UNDER_WAY, Release
from releases.shadows import comparing, gathering
from releases.shadows.models import Compared
from tenants.keys import hiding
from tenants.keys.errors import KeysError

log = logging.getLogger(__name__)

MOST: Final = 50
LATELY: Final = timedelta(days=1)
OVER_EARLY: Final = (states.SHADOW_ENDED, states.SHADOW_TROUBLE)


def keep_due() -> int:
    """Compare the twins that ended; returns how many were kept. Bounded."""
    due = list(_due().select_related("run__tenant", "twin_of__tenant").order_by("run")[:MOST])
    return sum(keep(twin) for twin in due)


def keep(twin: Twin) -> bool:
    """Compare one twin; False when it was kept already or cannot be read any more."""
    run, live = twin.run, twin.twin_of
    try:
        mine, theirs = gathering.went(run), gathering.went(live)
    except KeysError as error:
        log.warning("twin %s is not compared: %s", run.pk, hiding.text(str(error)))
        return False
    ended = how_ended(run)
    found = comparing.compare(mine, theirs, ended=ended, declared=wordings())
    kept = Compared(
        run=run,
        tenant_id=run.tenant_id,
        release_id=twin.series,
        live=live,
        kind=found.kind,
        effects=[asdict(each) | {"where": list(each.where)} for each in found.effects],
        same_path=found.same_path,
        tokens=mine.tokens,
        live_tokens=theirs.tokens,
        ms=mine.ms,
        live_ms=theirs.ms,
        ended=ended,
    )
    # Two sweepers may come to it at once: one row stays.
    Compared.objects.bulk_create([kept], ignore_conflicts=True)
    return True


def how_ended(run: Run) -> str:
    """How far a twin came, in the words of `comparing`."""
    if run.status == states.SUCCEEDED:
        return comparing.AT_END
    return comparing.AT_EFFECT if run.stop_reason == states.SHADOW_ENDED else comparing.IN_TROUBLE


def _lately() -> QuerySet[Release, UUID]:
    moved = Q(moved_at__gte=Now() - LATELY)
    return Release.objects.filter(moved | Q(place__in=UNDER_WAY)).values_list("pk", flat=True)


def _due() -> QuerySet[Twin]:
    """Twins that ended by themselves, whose live run ended too or has all that they have.

    Of releases that are under way or moved lately: by twins_of_a_series.
    """
    theirs = Action.objects.filter(
        run=OuterRef(OuterRef("twin_of")), node=OuterRef("node"), ordinal=OuterRef("ordinal")
    )
    alone = Action.objects.filter(~Exists(theirs), run=OuterRef("run"))
    both = Q(twin_of__status__in=states.FINAL)
    return (
        Twin.objects.filter(run__status__in=states.FINAL, series__in=_lately())
        .exclude(run__stop_reason=states.CANCELLED_BY_PERSON)
        .filter(~Exists(Compared.objects.filter(run=OuterRef("run"))))
        .filter(both | Q(~Exists(alone), run__stop_reason__in=OVER_EARLY))
    )
