"""The sweeper's duty for rollbacks: those under way go on, and what was stopped gets its plan.

All of it is read from the record: killed between a stop and its plan, the next round makes the plan.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db import DatabaseError
from django.db.models import Exists, OuterRef, QuerySet

from canonical.redaction import Redacted, ours
from checkpoints.models import Route, Run
from releases.errors import ReleaseRefusedError
from releases.gates import standing
from releases.models import Move, Release
from releases.rollbacks import breaches, carrying, ordering, phases, proposing, unsafe
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.errors import RollbackMovedError
from releases.rollbacks.models import Rollback
from tenants.clock import ClockTimestamp
from tenants.keys import hiding
from tenants.paces import Pace, Turns

log = logging.getLogger(__name__)

MOST: Final = 50
STEPS_AT_ONCE: Final = 7
# What waits for people may stand for days, and each look reads all its runs and effects.
LOOK_SECONDS: Final = 1.0
EVERY_SECONDS: Final = 5.0
_looks, _pace = Pace(), Pace()
_under_way, _stopped, _waiting = Turns(), Turns(), Turns()


def carry() -> int:
    """One round, not more often than once a second; returns how many phases were passed and plans made."""
    done = 0
    if _looks.is_time(LOOK_SECONDS):
        under_way = Rollback.objects.filter(ended="", paused_at=None, phase__in=phases.SIX)
        done += sum(_carried(each) for each in _under_way.part(under_way, MOST))
    if _pace.is_time(EVERY_SECONDS):
        # What is unsafe first: until then a release on top of it could be planned back to it.
        done += unsafe.answer() + _plan_for_stopped() + _start_by_policy() + _expire()
    return done


def _carried(rollback_id: UUID) -> int:
    """So far as it goes now: phases that wait for nobody follow each other at once."""
    passed = 0
    try:
        while passed < STEPS_AT_ONCE and carrying.carry_on(rollback_id):
            passed += 1
    except DatabaseError as error:  # somebody held what it needs; it stands where it stood
        log.warning("rollback %s was not carried on: %s", rollback_id, error)
    return passed


def _plan_for_stopped() -> int:
    """Each release that its gates stopped, whose combo did anything, and that has no plan since."""
    last = Move.objects.filter(release=OuterRef("pk"), number=OuterRef("last_move"))
    # What was stopped because of the release below it did nothing wrong itself.
    stopped = last.filter(kind=standing.STOP, proposed_by=None, ended="made")
    stopped = stopped.exclude(actor=ROLLBACK.name)
    ran = Run.objects.filter(
        tenant=OuterRef("tenant"), combo=OuterRef("candidate"), mode="live"
    ).filter(created_at__gte=OuterRef("begun_at"))
    found = _leads_back(_without_plan(Release.objects.filter(place=standing.STOPPED)))
    found = found.filter(Exists(stopped), Exists(ran))
    part = Release.objects.filter(pk__in=_stopped.part(found, MOST))
    part = part.select_related("tenant", "candidate").defer("candidate__manifest")
    made = 0
    for release in part.annotate(why_stopped=stopped.values("why")[:1]):
        why = ours("%(why)s", why=hiding.text(release.why_stopped))
        made += _planned(release.pk, why, breaches.as_json(breaches.of(release)))
    return made


def _without_plan(releases: QuerySet[Release]) -> QuerySet[Release]:
    """Those that nobody rolled back, or refused to, since they stand where they stand."""
    since = Rollback.objects.filter(release=OuterRef("pk"), proposed_at__gte=OuterRef("moved_at"))
    return releases.filter(~Exists(since))


def _leads_back(releases: QuerySet[Release]) -> QuerySet[Release]:
    """Those whose older combo is stable still, and is not being withdrawn itself."""
    route = Route.objects.filter(
        tenant=OuterRef("tenant"), task_type=OuterRef("task_type"), stable=OuterRef("stable")
    )
    withdrawn = Rollback.objects.filter(
        tenant=OuterRef("tenant"), from_combo=OuterRef("stable"), ended=""
    )
    return releases.filter(Exists(route), ~Exists(withdrawn))


def _planned(release_id: UUID, why: Redacted, beside: Mapping[str, Any]) -> int:
    try:
        made = proposing.propose_by_machine(release_id, why=why, beside=beside)
    except ReleaseRefusedError as refusal:
        log.warning("release %s gets no rollback by itself: %s", release_id, refusal)
        return 0
    return int(made is not None)


def _start_by_policy() -> int:
    """What a machine proposed, and the policy of its release lets it start."""
    waiting = Rollback.objects.filter(ended="", phase=phases.PLANNED, proposed_by=None)
    part = Rollback.objects.filter(pk__in=_waiting.part(waiting, MOST))
    found = part.select_related("release__tenant", "release__candidate")
    return sum(_started(each) for each in found if ordering.rolls_back(each.release))


def _started(rollback: Rollback) -> int:
    try:
        return int(ordering.start_by_machine(rollback.pk))
    except RollbackMovedError:
        # What it showed is no more: it is planned anew as things are, for the same reason.
        why = ours("%(why)s", why=hiding.text(rollback.why))
        return _planned(rollback.release_id, why, breaches.beside(rollback))
    except ReleaseRefusedError as refusal:
        # It waits for a person, who is told: what hinders it stands on its page. What is unsafe does
        # nothing more meanwhile.
        log.warning("rollback %s does not start by itself: %s", rollback.pk, refusal)
        return unsafe.halt(rollback.release)


def _expire() -> int:
    """End what nobody ordered in time; its runs are free for others."""
    over = Rollback.objects.filter(ended="", phase=phases.PLANNED, expires_at__lte=ClockTimestamp())
    return sum(proposing.expire(each.pk) for each in over[:MOST])
