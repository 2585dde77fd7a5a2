"""Which combo a run was pinned to when: what it was started on, and what each checkpoint is of."""

from collections.abc import Sequence
from dataclasses import dataclass

from checkpoints.models import Combo, Repin, Run
from checkpoints.models.repin import MOVED


@dataclass(frozen=True)
class Pins:
    """The combos of one run: the first, and each to which it moved, with the head of then."""

    first: Combo
    moves: Sequence[tuple[int, Combo]] = ()

    def at(self, seq: int) -> Combo:
        """The combo that checkpoint `seq` is of; of the genesis for 0."""
        pinned = self.first
        for head, combo in self.moves:
            if head >= seq:
                break
            pinned = combo
        return pinned


def started_on(run: Run) -> Combo:
    """The combo that a run was started on: its genesis is bound to it, wherever it moved since."""
    return run.first_combo or run.combo


def of(run: Run) -> Pins:
    """The combos of a run. One that never moved costs no query."""
    if run.first_combo is None:
        return Pins(run.combo)
    return Pins(run.first_combo, [(it.seq or 0, it.to_combo) for it in moves(run)])


def moves(run: Run) -> list[Repin]:
    """The moves of a run, as they happened."""
    found = Repin.objects.filter(run_id=run.pk, ended=MOVED).order_by("ended_at", "pk")
    return list(found.select_related("from_combo", "to_combo"))
