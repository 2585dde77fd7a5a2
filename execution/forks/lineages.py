"""Where a run comes from and what became of it: its source, its forks, and what it took over."""

from dataclasses import dataclass
from typing import Final

from checkpoints.models import Fork, Reuse, Run
from reconciliation.models import Action

MOST: Final = 20


@dataclass(frozen=True)
class TakenOver:
    """An effect of another run of the lineage that this run took over at checkpoint `seq`."""

    action: Action
    seq: int


@dataclass(frozen=True)
class Lineage:
    """What the page of a run says of its family. `more`: forks that are not listed."""

    fork: Fork | None
    forks: list[Fork]
    more: int
    taken_over: list[TakenOver]

    @property
    def is_alone(self) -> bool:
        return self.fork is None and not self.forks and not self.taken_over


def of(run: Run) -> Lineage:
    """The lineage around one run: newest forks first."""
    made = Fork.objects.filter(source=run).select_related("run").defer("run__input")
    newest = list(made.order_by("-at")[: MOST + 1])
    more = made.count() - MOST if len(newest) > MOST else 0
    fork = None
    if run.forked_from_id is not None:
        fork = Fork.objects.select_related("source").defer("source__input").get(run=run)
    return Lineage(fork, newest[:MOST], max(0, more), _taken_over(run))


def _taken_over(run: Run) -> list[TakenOver]:
    rows = dict(
        Reuse.objects.filter(run_id=run.pk).order_by("seq").values_list("seq", "action_id")[:MOST]
    )
    actions = Action.objects.filter(pk__in=list(rows.values())).defer("parameters")
    by_id = {action.pk: action for action in actions}
    return [TakenOver(by_id[action], seq) for seq, action in rows.items() if action in by_id]
