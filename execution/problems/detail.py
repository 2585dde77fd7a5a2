"""What the page of one problem reads: its runs and effects, its combos, and who did what about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from checkpoints.claims import PROBLEM
from checkpoints.models import Claim, Combo, Run
from execution.problems import models, stuck, wording
from execution.problems.models import Problem, ProblemChange, ProblemRun
from execution.problems.standing import Standing, Tally
from reconciliation.models import Action
from tenants.models import Tenant

A_PAGE: Final = 50
MOST_COMBOS: Final = 50
MOST_SAID: Final = 50


@dataclass(frozen=True)
class Member:
    """One run of a problem: why it counts, since when, and the effect it is about."""

    run: Run
    what: str
    since: datetime
    action: Action | None = None
    case_id: Any = None
    decided_at: datetime | None = None
    size: str = ""


@dataclass(frozen=True)
class InCombo:
    """The part of a problem in one combo; `can_resolve`: all there has ended."""

    combo: Combo
    tally: Tally
    sizes: Sequence[str]
    can_resolve: bool
    resolved: ProblemChange | None = None


def members(problem: Problem, *, before: int | None) -> tuple[list[Member], int | None]:
    """A page of its runs, newest first, and where the next one begins (None: nowhere)."""
    if problem.kind == stuck.STUCK:
        return [Member(run, stuck.STUCK, since) for run, since in stuck.members(problem)], None
    found = ProblemRun.objects.filter(ProblemRun.OPEN, problem=problem, tenant=problem.tenant_id)
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(found.order_by("-pk")[: A_PAGE + 1])
    page = rows[:A_PAGE]
    runs = Run.objects.defer("input").in_bulk([row.run_id for row in page])
    wanted = [row.action_id for row in page if row.action_id]
    actions = Action.objects.defer("parameters").in_bulk(wanted)
    shown = [_member(row, runs, actions) for row in page if row.run_id in runs]
    return shown, page[-1].pk if len(rows) > A_PAGE else None


def in_combos(tenant: Tenant, standing: Standing) -> list[InCombo]:
    """The problem by combo, the largest part first; those it is resolved in after them."""
    resolved = _resolved(tenant, standing.problem)
    parts = sorted(standing.by_combo.items(), key=lambda part: -part[1].runs)
    parts = [part for part in parts if part[1].runs > 0]
    parts += [(combo, Tally()) for combo in resolved if combo not in dict(parts)]
    combos = Combo.objects.in_bulk([combo for combo, _ in parts[:MOST_COMBOS]])
    is_derived = standing.problem.kind == stuck.STUCK
    return [
        InCombo(
            combos[combo],
            tally,
            wording.magnitudes(tally),
            not is_derived and tally.runs > 0 and tally.failed == tally.runs,
            resolved.get(combo),
        )
        for combo, tally in parts[:MOST_COMBOS]
        if combo in combos
    ]


def said(problem: Problem) -> list[ProblemChange]:
    """What people did about it, newest first."""
    changes = ProblemChange.objects.filter(problem=problem, tenant=problem.tenant_id)
    return list(changes.select_related("by", "combo").order_by("-pk")[:MOST_SAID])


def claimed(problem: Problem) -> list[Claim]:
    """Who was at it, newest first."""
    claims = Claim.objects.filter(
        tenant=problem.tenant_id, kind=PROBLEM, key=problem.fingerprint
    ).select_related("holder")
    return list(claims.order_by("-pk")[:MOST_SAID])


def _member(row: ProblemRun, runs: Mapping[Any, Run], actions: Mapping[Any, Action]) -> Member:
    tally = Tally()
    tally.count(row, 1)
    return Member(
        runs[row.run_id],
        row.what,
        row.since,
        actions.get(row.action_id) if row.action_id else None,
        row.case_id,
        row.decided_at,
        ", ".join(wording.magnitudes(tally)),
    )


def _resolved(tenant: Tenant, problem: Problem) -> dict[int, ProblemChange]:
    """The resolution of each combo that stands."""
    words = ProblemChange.objects.filter(tenant=tenant, problem=problem, combo__isnull=False)
    newest = words.order_by("combo", "-pk").distinct("combo").select_related("by")
    return {
        each.combo_id: each
        for each in newest
        if each.what == models.RESOLVED and each.combo_id is not None
    }
