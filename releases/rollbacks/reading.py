"""What pages show of rollbacks: where a release stands with them, and what a plan would do."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints import states
from checkpoints.models import Case, Run
from execution.repinforecast import Foreseen
from reconciliation.followups import is_begun
from reconciliation.verdicts import compensating
from releases.gates.standing import ROLL_BACK
from releases.models import Release
from releases.rollbacks import board, leaving, outlook, phases
from releases.rollbacks.leaving import Group, Questions
from releases.rollbacks.models import OutstandingEffect, Rollback
from releases.rollbacks.outlook import Outlook

EACH_SHOWN: Final = 8
PER_ROUND: Final = 100
# A worker lets go of a run at its next boundary: rarely later than one call takes.
OF_A_WORKER_SECONDS: Final = 30


@dataclass(frozen=True)
class Standing:
    """Where a release stands with its newest rollback, for the page of the release.

    `may_again`: it is over, and the release was moved since.
    """

    rollback: Rollback
    open_effects: int
    sentence: str
    may_again: bool


@dataclass(frozen=True)
class Preview:
    """What rolling back would do, before anything moves. `seconds`: of machines, not of people."""

    outlook: Outlook
    groups: Sequence[tuple[str, int, Sequence[Foreseen]]]
    questions: Questions
    effects: Sequence[Group]
    seconds: int

    @property
    def runs(self) -> int:
        return len(self.outlook.runs)


def under_way(releases: Sequence[Release]) -> dict[UUID, str]:
    """For a list of releases: what is told of each that is rolled back, or was and is not closed yet."""
    open_effects = Count("effects", filter=Q(effects__signed_off=""))
    found = Rollback.objects.filter(release__in=releases, ended="").exclude(phase=phases.PLANNED)
    return {
        each.release_id: sentence(each, each.open_effects)
        for each in found.annotate(open_effects=open_effects).defer("shown")
    }


def standing(release: Release) -> Standing | None:
    """Its newest rollback that was not given up; None when there is none."""
    found = release.rollbacks.exclude(ended__in=[phases.WITHDRAWN, phases.EXPIRED])
    rollback = found.select_related("tenant", "started_by").order_by("-number").first()
    if rollback is None:
        return None
    open_effects = board.open_effects(rollback)
    last = release.moves.filter(number=release.last_move, kind=ROLL_BACK)
    return Standing(
        rollback,
        open_effects,
        sentence(rollback, open_effects),
        may_again=bool(rollback.ended) and not last.exists(),
    )


def sentence(rollback: Rollback, open_effects: int) -> str:
    """ "Rolled back, 3 effects open." """
    if rollback.phase == phases.PLANNED:
        return _("A rollback is planned: %(name)s.") % {"name": rollback}
    if rollback.phase == phases.CLOSED:
        return _("Rolled back, nothing open.")
    if not phases.is_at_least(rollback.phase, phases.RECONCILING):
        number = {"n": phases.number(rollback.phase)}
        return _("Being rolled back: phase %(n)d of 6.") % number
    told = ngettext(
        "Rolled back, %(n)d effect open.", "Rolled back, %(n)d effects open.", open_effects
    )
    return told % {"n": open_effects}


def preview(release: Release) -> Preview:
    """What rolling this release back would do now. Reads only."""
    runs = outlook.of_combo(release.tenant, release.candidate)
    found = outlook.look(runs, release.stable)
    listed: dict[str, list[Foreseen]] = {kind: [] for kind in phases.KINDS}
    for each in found.runs:
        if len(listed[outlook.kind(each)]) < EACH_SHOWN:
            listed[outlook.kind(each)].append(each)
    at_work = runs.filter(status=states.RUNNING).exists()
    return Preview(
        outlook=found,
        groups=[(kind, found.counts[kind], listed[kind]) for kind in phases.KINDS],
        questions=leaving.questions(runs),
        effects=leaving.effects(release),
        seconds=_seconds(len(found.runs), at_work=at_work),
    )


def rest(rollback: Rollback) -> int:
    """About how many seconds of machines what is left of a rollback takes."""
    left = rollback.runs.filter(ended="").count()
    holding = not phases.is_at_least(rollback.phase, phases.RESTORING)
    return _seconds(left, at_work=holding)


def on_board(rollback: Rollback, *, state: str, after: int, most: int) -> list[dict[str, Any]]:
    """Effects of the board in order, each with its case, and the run that undoes it if any may."""
    found = rollback.effects.select_related("action__run", "signed_by")
    found = found.filter(state=state) if state else found
    light = found.defer("action__parameters", "action__run__input")
    effects = list(light.filter(pk__gt=after).order_by("pk")[:most])
    open_cases = Case.objects.filter(
        action_id__in=[each.action_id for each in effects], closed_at=None, decided_at=None
    )
    cases = dict(open_cases.values_list("action_id", "pk"))
    return [_row(each, cases.get(each.action_id)) for each in effects]


def at_work(rollback: Rollback) -> list[Run]:
    """The runs that the second phase waits for: a worker is at them. The first of them."""
    if rollback.phase != phases.HOLDING:
        return []
    runs = outlook.of_combo(rollback.tenant, rollback.from_combo).filter(status=states.RUNNING)
    return list(runs.defer("input").order_by("woken_at")[:EACH_SHOWN])


def with_question(rollback: Rollback) -> int:
    """How many of its runs wait for a person's case beside the rollback."""
    case = Case.objects.filter(run=OuterRef("run"), decided_at=None, closed_at=None)
    return rollback.runs.filter(Exists(case), ended="").count()


def _row(effect: OutstandingEffect, case: object) -> dict[str, Any]:
    outside = effect.state in phases.OUTSIDE and not effect.signed_off
    undone = outside and compensating.declared(effect.action.tool) is not None
    begun = undone and is_begun(effect.action, compensating.beginning(effect.action))
    return {
        "effect": effect,
        "case": case,
        "may_accept": outside,
        "may_undo": undone and not begun,
        "is_being_undone": begun,
    }


def _seconds(runs: int, *, at_work: bool) -> int:
    rounds = 2 + 3 * ceil(runs / PER_ROUND)
    return ceil(rounds * settings.KEDGE_SWEEP_SECONDS) + (OF_A_WORKER_SECONDS if at_work else 0)
