"""What a machine does about a combo that broke a safety constraint when no gate watches it any more.

A release under way is stopped by its gates. One that is stable, or was stopped and has runs that still
write, is planned back here; where nothing leads back from where it stands, its combo is stopped.
"""

import logging
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from canonical.redaction import ours
from checkpoints import states
from checkpoints.models import Route, Run, Stop
from checkpoints.scopes import LOCKS, Scope
from reconciliation import stopping
from releases import moving
from releases.errors import ReleaseRefusedError
from releases.gates import samples, standing
from releases.models import UNDER_WAY, Move, Release
from releases.numbers.audit import Ends
from releases.rollbacks import breaches, outlook, phases, proposing
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.breaches import Breach
from releases.rollbacks.models import Rollback
from tenants.keys import hiding
from tenants.paces import Turns

log = logging.getLogger(__name__)

MOST: Final = 50
_stable, _aside = Turns(), Turns()


def answer() -> int:
    """One round; returns how many plans were made, and how many releases and combos were stopped."""
    keys = _stable.part(_stable_now(), MOST) + _aside.part(_gone_by(), MOST)
    part = Release.objects.filter(pk__in=keys).select_related("tenant", "candidate")
    ends = Ends()
    return sum(_answered(each, ends) for each in part.defer("candidate__manifest").order_by("pk"))


def halt(release: Release) -> int:
    """Stop the combo of a release that is unsafe and cannot be rolled back yet; 1 when that was news."""
    breach = _its_own(release, breaches.of(release))
    return _halted(release, breach) if breach else 0


def _stable_now() -> QuerySet[Release]:
    """What every new run gets; of two releases that led to the same combo, the newer."""
    later = Release.objects.filter(
        tenant=OuterRef("tenant"),
        task_type=OuterRef("task_type"),
        candidate=OuterRef("candidate"),
        place=standing.STABLE,
        number__gt=OuterRef("number"),
    )
    return Release.objects.filter(Exists(_routed()), ~Exists(later), place=standing.STABLE)


def _gone_by() -> QuerySet[Release]:
    """Whose runs have not ended though no new run gets it; and what was stopped after it did anything."""
    runs = Run.objects.filter(
        tenant=OuterRef("tenant"), combo=OuterRef("candidate"), mode=states.LIVE_MODE
    )
    under_way = runs.exclude(status__in=states.FINAL)
    did_anything = runs.filter(created_at__gte=OuterRef("begun_at"))
    last = Move.objects.filter(release=OuterRef("pk"), number=OuterRef("last_move"))
    went_back = last.filter(kind=standing.ROLL_BACK)
    stopped = Q(place=standing.STOPPED) & (
        Exists(under_way) | ~Exists(went_back) & Exists(did_anything)
    )
    overtaken = Q(place=standing.STABLE) & ~Exists(_routed()) & Exists(under_way)
    return Release.objects.filter(stopped | overtaken)


def _routed() -> QuerySet[Route]:
    return Route.objects.filter(
        tenant=OuterRef("tenant"), task_type=OuterRef("task_type"), stable=OuterRef("candidate")
    )


def _answered(release: Release, ends: Ends) -> int:
    breach = _its_own(release, breaches.of(release, ends))
    if not breach:
        return 0
    plan = release.rollbacks.filter(ended="").first()
    is_news, done = breaches.is_news(release, breach), 0
    if release.place == standing.STABLE and (is_news or _is_by_machine(plan)):
        done += _stop_on_top(release, breach)
    if is_news and not _waits(plan):
        done += _planned(release, breach, plan)
    return done


def _its_own(release: Release, breach: Breach) -> Breach:
    """The chain is everybody's: what has nothing under way is not rolled back for a break in it."""
    if release.place == standing.STABLE or _under_way(release).exists():
        return breach
    return tuple(each for each in breach if each.name != samples.AUDIT_CHAIN_BROKEN)


def _is_by_machine(plan: Rollback | None) -> bool:
    return plan is not None and plan.proposed_by_id is None


def _waits(plan: Rollback | None) -> bool:
    """A machine's plan for a breach waits for a person: a worse one does not take it from their hands."""
    return (
        plan is not None
        and _is_by_machine(plan)
        and plan.phase == phases.PLANNED
        and breaches.BROKEN in plan.beside
    )


def _stop_on_top(release: Release, breach: Breach) -> int:
    """A release on top of it would go back to the unsafe combo, and keeps traffic from going below."""
    on_top = Release.objects.filter(
        tenant=release.tenant_id, task_type=release.task_type, place__in=UNDER_WAY
    ).filter(stable=release.candidate_id)
    why = ours(
        "Release %(n)s, which it would go back to, broke: %(what)s.",
        n=release.number,
        what=hiding.text(breaches.names(breach)),
    )
    keys = on_top.values_list("pk", flat=True)
    return sum(moving.stop_by_machine(each, why=why, actor=ROLLBACK) for each in keys)


def _planned(release: Release, breach: Breach, plan: Rollback | None) -> int:
    why = ours(
        "It is %(place)s, and broke: %(what)s.",
        place=hiding.text(release.place),
        what=hiding.text(breaches.names(breach)),
    )
    beside = breaches.as_json(breach)
    try:
        made = proposing.propose_by_machine(release.pk, why=why, beside=beside)
    except ReleaseRefusedError as refusal:
        halted = _halted(release, breach)
        if halted:
            log.warning("%s is unsafe and cannot be rolled back: %s", release, refusal)
        return halted
    if made is None and plan is not None and plan.paused_at is not None:
        return _halted(release, breach)
    return int(made is not None)


def _halted(release: Release, breach: Breach) -> int:
    """Stop what the combo may still do. People who lift that are not overruled for the same breach."""
    if release.place != standing.STABLE and not _under_way(release).exists():
        return 0
    why = f"{release} broke a safety constraint: {breaches.exactly(breach)}"
    where, made = Scope(release.tenant, combo=release.candidate), 0
    for lock in LOCKS:
        known = Stop.objects.filter(**where.fields(), lock=lock)
        same = Q(why=why, stopped_by=proposing.GATES.name)
        if not known.filter(Q(lifted_at=None) | same).exists():
            stopping.stop(where, lock, why=why, actor=proposing.GATES)
            made = 1
    return made


def _under_way(release: Release) -> QuerySet[Run]:
    return outlook.of_combo(release.tenant, release.candidate)
