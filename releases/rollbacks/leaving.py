"""What a combo left outside, told before it is rolled back: its effects by where they stand, its questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from approvals import queries
from approvals import states as permission
from approvals.models import ApprovalRequest
from checkpoints.models import Run
from checkpoints.registry import graph_of
from reconciliation.models import Action
from reconciliation.verdicts import compensating
from releases.models import Release
from releases.rollbacks import board, phases

EACH_LISTED: Final = 5
# The rest left nothing outside: it is counted and not listed.
LISTED: Final = tuple(
    state for state in phases.EFFECT_STATES if state not in (phases.COMPENSATED, phases.REFUSED)
)


@dataclass(frozen=True)
class Undoing:
    """The run that can be offered to undo an effect: its task type, and the tools it may use."""

    task_type: str
    tools: Sequence[str]


@dataclass(frozen=True)
class Left:
    """One effect; `undoing` None: it is not outside, or nothing is declared that undoes it."""

    action: Action
    undoing: Undoing | None


@dataclass(frozen=True)
class Group:
    """All effects that stand alike: how many, and the newest of them."""

    state: str
    count: int
    newest: Sequence[Left]

    @property
    def more(self) -> int:
        return self.count - len(self.newest)

    @property
    def is_outside(self) -> bool:
        return self.state in phases.OUTSIDE


@dataclass(frozen=True)
class Questions:
    """The open questions and unused approvals: how many, and the newest of them."""

    count: int
    newest: Sequence[ApprovalRequest]

    @property
    def more(self) -> int:
        return self.count - len(self.newest)


def effects(release: Release) -> list[Group]:
    """What its candidate proposed since it began, in the order of `phases.EFFECT_STATES`."""
    found = board.newest(release, each=EACH_LISTED)
    ids = [action_id for state in LISTED for action_id in found.get(state, (0, ()))[1]]
    related = Action.objects.filter(tenant=release.tenant, pk__in=ids).select_related("run")
    actions = {each.pk: each for each in related.defer("parameters", "run__input")}
    return [
        _group(state, found[state][0], [actions[pk] for pk in found[state][1] if pk in actions])
        for state in phases.EFFECT_STATES
        if state in found
    ]


def questions(runs: QuerySet[Run]) -> Questions:
    """What people are asked, or said yes to, for these runs: it is withdrawn with their combo."""
    live = queries.light().filter(state__in=permission.LIVE, run__in=runs)
    return Questions(live.count(), list(live.order_by("-asked_at", "-pk")[:EACH_LISTED]))


def _group(state: str, count: int, actions: Sequence[Action]) -> Group:
    outside = state in phases.OUTSIDE
    newest = [Left(each, _undoing(each.tool) if outside else None) for each in actions]
    return Group(state, count, newest)


def _undoing(tool: str) -> Undoing | None:
    how = compensating.declared(tool)
    if how is None:
        return None
    return Undoing(how.task_type, sorted(graph_of(how.task_type).manifest.tools))
