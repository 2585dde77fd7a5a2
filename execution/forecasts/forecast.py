"""A forecast as pages, plans and verdicts show it: lines, counts, one sentence, and a digest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from approvals.pages import wording
from canonical import digests
from checkpoints.models import Run
from execution.forecasts import telling
from execution.forecasts.gathering import Gathered, gather
from execution.forecasts.judging import KINDS, UNKNOWN, foresee
from execution.forecasts.transitions import FORK, GO_ON_FROM, Transition

MOST_RUNS: Final = 500
MOST_SHOWN: Final = 50


@dataclass(frozen=True)
class Line:
    """What would become of one effect. `kind` is one of `KINDS`, `why` is for people."""

    kind: str
    action_id: UUID
    run_id: UUID
    node: str
    tool: str
    target: str
    describe: str
    magnitude: Mapping[str, Any]
    generation: int
    why: str

    @property
    def size(self) -> str:
        """How much it touches, in words."""
        return wording.magnitude(self.magnitude)


@dataclass(frozen=True)
class Forecast:
    """What a transition would do to the effects of a run, as things are now.

    `unforeseen` says what nobody can know. `is_cut`: only the oldest effects were read.
    """

    transition: Transition
    lines: tuple[Line, ...]
    unforeseen: tuple[str, ...]
    is_cut: bool = False

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many lines there are of each of `KINDS`."""
        found = dict.fromkeys(KINDS, 0)
        for line in self.lines:
            found[line.kind] += 1
        return found

    @property
    def blocked(self) -> bool:
        """Whether the transition would be refused: nobody goes past an unknown effect (rule 12)."""
        return self.transition.how in (GO_ON_FROM, FORK) and self.counts[UNKNOWN] > 0

    @property
    def sentence(self) -> str:
        """All of it in one sentence, for a button's neighbourhood or a plan's row."""
        return telling.sentence(self.transition, self.counts)

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The lines by kind, what matters most first: at most `MOST_SHOWN` of each, then `more`."""
        return [
            {
                "kind": kind,
                "title": telling.title(kind, self.counts[kind]),
                "lines": [line for line in self.lines if line.kind == kind][:MOST_SHOWN],
                "more": max(0, self.counts[kind] - MOST_SHOWN),
            }
            for kind in KINDS
            if self.counts[kind]
        ]

    @property
    def digest(self) -> str:
        """Changes when what is foreseen does (hex): posted back, it shows what has moved."""
        seen = [[line.kind, str(line.action_id), line.generation] for line in self.lines]
        return digests.tagged("forecast", [self.transition.how, self.transition.seq, seen])


def of(run: Run, transition: Transition) -> Forecast:
    """What a transition would do to the effects of one run. Reads only; the engine judges anew."""
    return of_each([run], transition)[run.id]


def of_each(runs: Iterable[Run], transition: Transition) -> dict[UUID, Forecast]:
    """The same for many runs, at most `MOST_RUNS`. Raises `ValueError` for more."""
    listed = list(runs)
    if len(listed) > MOST_RUNS:
        raise ValueError(f"{len(listed)} runs at once; at most {MOST_RUNS}")
    found = gather(listed, transition)
    return {run.id: _forecast(run, transition, found) for run in listed}


def _forecast(run: Run, transition: Transition, found: Gathered) -> Forecast:
    place = found.places[run.id]
    lines = []
    for effect in found.effects[run.id]:
        foreseen = foresee(effect, transition.how, place)
        if foreseen is not None:
            action = found.actions[effect.id]
            why = telling.why(foreseen, transition.how, is_mine=effect.run_id == run.id)
            lines.append(
                Line(
                    kind=foreseen.kind,
                    action_id=action.pk,
                    run_id=action.run_id,
                    node=action.node,
                    tool=action.tool,
                    target=action.target,
                    describe=action.describe,
                    magnitude=action.magnitude,
                    generation=action.generation,
                    why=why,
                )
            )
    unforeseen = telling.unforeseen(transition, sorted(place.reach))
    return Forecast(transition, tuple(lines), unforeseen, is_cut=found.is_cut)
