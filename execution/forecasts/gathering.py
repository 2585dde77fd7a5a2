"""Reads what a forecast rests on, for many runs at once in a constant number of queries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from approvals import clock
from approvals import states as permission
from approvals.models import ApprovalRequest
from canonical import json as canonical
from checkpoints import registry
from checkpoints.errors import UnknownTaskTypeError
from checkpoints.graph import ACTION, END, Graph
from checkpoints.headers import proposed_for_good
from checkpoints.models import Checkpoint, Fork, Run, Verdict
from execution.forecasts import judging
from execution.forecasts.judging import Effect, Place
from execution.forecasts.transitions import FORK, Transition
from reconciliation import states as world
from reconciliation import verdicts
from reconciliation.models import Action, Attempt

MOST_EFFECTS: Final = 5_000
DECLINED: Final = (permission.REJECTED, permission.SENT_BACK, permission.EXPIRED)


@dataclass(frozen=True)
class Gathered:
    """Of each run: where it would stand, and the effects of its lineage, oldest first.

    `action` has what pages show of an effect. `is_cut`: there are more effects than were read.
    """

    places: Mapping[UUID, Place]
    effects: Mapping[UUID, Sequence[Effect]]
    actions: Mapping[UUID, Action]
    is_cut: bool = False


def gather(runs: Sequence[Run], transition: Transition) -> Gathered:
    """What the record and the ledger say of these runs now. Locks nothing."""
    scopes = _members(runs)
    actions = _actions(scopes)
    facts = _Facts.of([action.pk for action in actions])
    places = _places(runs, transition)
    by_scope = defaultdict(list)
    for action in actions:
        by_scope[scopes[action.run_id]].append(facts.effect(action))
    newest = {scope: _newest(effects) for scope, effects in by_scope.items()}
    return Gathered(
        places,
        {run.id: newest.get(run.effect_scope, []) for run in runs},
        {action.pk: action for action in actions},
        is_cut=len(actions) >= MOST_EFFECTS,
    )


def _members(runs: Sequence[Run]) -> dict[UUID, UUID]:
    """All runs of these runs' lineages, and the scope of each."""
    scopes = {run.effect_scope for run in runs}
    # By forks_by_effect_scope; the root of a lineage has its id for a scope.
    forks = Run.objects.filter(effect_scope__in=scopes, forked_from__isnull=False)
    found = dict(forks.values_list("id", "effect_scope"))
    return {**{scope: scope for scope in scopes}, **found}


def _actions(members: Mapping[UUID, UUID]) -> list[Action]:
    found = Action.objects.filter(run_id__in=list(members)).defer("parameters", "run__input")
    return list(found.order_by("proposed_at", "id")[:MOST_EFFECTS])


def _newest(effects: Sequence[Effect]) -> list[Effect]:
    """Of each key the generation that stands for it: the newest that counts or is not over."""
    found: dict[tuple[str, int], Effect] = {}
    for effect in sorted(effects, key=lambda each: each.generation):
        was = found.get((effect.node, effect.ordinal))
        over = effect.stands == world.SETTLED and not effect.counts and not effect.is_out
        if was is None or not over or not was.counts:
            found[effect.node, effect.ordinal] = effect
    order = {effect.id: number for number, effect in enumerate(effects)}
    return sorted(found.values(), key=lambda each: order[each.id])


@dataclass(frozen=True)
class _Facts:
    """What other tables say of actions."""

    out: frozenset[UUID]
    undone: frozenset[UUID]
    asked: Mapping[UUID, str]

    @classmethod
    def of(cls, ids: Sequence[UUID]) -> "_Facts":
        attempts = Attempt.objects.filter(action__in=ids, outcome=world.ATTEMPT_OPEN)
        undoing = Action.objects.filter(compensates__in=ids, outcome=world.HAPPENED)
        return cls(
            frozenset(attempts.values_list("action_id", flat=True)),
            frozenset(undoing.values_list("compensates_id", flat=True)),
            _asked(ids),
        )

    def effect(self, action: Action) -> Effect:
        asked = self.asked.get(action.pk, judging.NOT_ASKED)
        return Effect(
            id=action.pk,
            run_id=action.run_id,
            node=action.node,
            ordinal=action.ordinal,
            generation=action.generation,
            stands=action.stands,
            outcome=action.outcome,
            is_absorbed=action.absorbed_seq is not None,
            is_out=action.pk in self.out,
            is_undone=action.pk in self.undone,
            asked=asked,
        )


def _asked(ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = ApprovalRequest.objects.filter(action_id__in=ids).order_by("action_id", "-revision")
    newest = rows.distinct("action_id")
    again: dict[UUID | None, datetime] = dict(
        Verdict.objects.filter(case__action_id__in=ids, verdict=verdicts.SEND_AGAIN)
        .order_by("given_at")
        .values_list("case__action_id", "given_at")
    )
    now = clock.now()
    columns = ("action_id", "state", "expires_at", "asked_at", "tool")
    return {
        action: _answer(state, is_late=expires <= now, is_over=_is_over(again.get(action), asked))
        if state != permission.USED or _can_be_asked(tool)
        else judging.OVER
        for action, state, expires, asked, tool in newest.values_list(*columns)
    }


def _answer(state: str, *, is_late: bool, is_over: bool) -> str:
    """What the newest question of an effect comes to: `execution.effects.seek_permission`."""
    if state in DECLINED or (is_late and state in (permission.OPEN, permission.APPROVED)):
        return judging.DECLINED
    if state == permission.OPEN:
        return judging.PENDING
    if state == permission.APPROVED or (state == permission.USED and not is_late and not is_over):
        return judging.HOLDS
    return judging.OVER


def _is_over(decided: datetime | None, asked: datetime) -> bool:
    return decided is not None and decided > asked


def _can_be_asked(tool: str) -> bool:
    able = registry.agents().TOOLS[tool].capabilities if tool in registry.agents().TOOLS else None
    return able is not None and (able.void or able.look_up or able.keyed is not None)


def _places(runs: Sequence[Run], transition: Transition) -> dict[UUID, Place]:
    wanted = {run.id: run.head if transition.seq is None else transition.seq for run in runs}
    at = Q()
    for run_id, seq in wanted.items():
        at |= Q(run_id=run_id, seq=seq)
    rows = Checkpoint.objects.filter(at).values_list("run_id", "header", "next_node")
    headers = {run: (_header(bytes(header)), following) for run, header, following in rows}
    again = _again(runs) if transition.how != FORK else {}
    found = {}
    for run in runs:
        graph = _graph(run)
        start = graph.start if graph else run.next_node
        header, following = headers.get(run.id, ({}, start))
        found[run.id] = Place(
            run.id,
            proposed_for_good(header),
            reach(graph, following),
            again.get(run.id, transition.again),
            gives_up=transition.how != FORK or transition.withdraws,
        )
    return found


def _header(content: bytes) -> dict[str, Any]:
    try:
        return canonical.loads_object(content)
    except canonical.CanonicalError:
        return {}  # damage is for those who verify; nothing is taken for done that is not


def _again(runs: Sequence[Run]) -> dict[UUID, frozenset[UUID]]:
    forks = [run.id for run in runs if run.forked_from_id is not None]
    found = Fork.objects.filter(run__in=forks).values_list("run_id", "again") if forks else ()
    return {run: frozenset(UUID(each) for each in again) for run, again in found}


def _graph(run: Run) -> Graph | None:
    try:
        return registry.graph_of(run.task_type)
    except UnknownTaskTypeError:
        return None


def reach(graph: Graph | None, node: str) -> frozenset[str]:
    """The action nodes that may run from a node on, itself too."""
    seen: set[str] = set()
    waiting = [node] if graph else []
    while graph and waiting:
        at = waiting.pop()
        if at not in seen and at != END and at in graph.nodes:
            seen.add(at)
            waiting += graph.nodes[at].to
    return frozenset(name for name in seen if graph and graph.nodes[name].kind == ACTION)
