"""Breadth first over all states: what is always true, and from where a good end can be reached."""

import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.model import states as at
from tests.model import surroundings, verbs
from tests.model.invariants import is_good_end, wrong_between, wrong_with
from tests.model.states import State, alike
from tests.model.turns import Model

NEEDED = (
    verbs.run_late,
    surroundings.world_moves,
    surroundings.people,
    surroundings.clocks,
    surroundings.sweeper,
)
# Steps that a run must not need to come to its end.
NEEDLESS = (surroundings.faults, surroundings.whims)


@dataclass(frozen=True)
class Edge:
    """How a state was reached first."""

    before: int
    says: str
    swapped: bool


@dataclass
class Found:
    """What a search found: `wrong` is empty when everything held, `steps` lead there."""

    states: int = 0
    seconds: float = 0.0
    ends: int = 0
    wrong: str = ""
    steps: list[str] = field(default_factory=list)


def explore(model: Model, *, most: int = 3_000_000) -> Found:
    """All states that can be reached from the start. Stops at the first that is wrong."""
    search = _Search(model, most)
    began = time.monotonic()
    gc.disable()  # nothing here is a circle, and there is very much of it
    try:
        found = search.run()
    finally:
        gc.enable()
    found.seconds = round(time.monotonic() - began, 2)
    return found


class _Search:
    def __init__(self, model: Model, most: int) -> None:
        self.model, self.most = model, most
        self.numbers: dict[State, int] = {}
        self.edges: list[Edge] = []
        self.leads: list[list[int]] = []  # for each state, those that lead here without a fault

    def run(self) -> Found:
        start, _ = alike(State())
        self._number(start, Edge(-1, "", swapped=False))
        queue = [start]
        for number, state in enumerate(queue):
            for says, after, needless in successors(self.model, state):
                same, swapped = alike(after)
                edge = Edge(number, says, swapped)
                # Also of a step that leads to where others have led.
                wrong = wrong_between(state, same)
                known = self.numbers.get(same)
                if known is None:
                    known = self._number(same, edge)
                    queue.append(same)
                    wrong = wrong or wrong_with(self.model, same)
                if wrong:
                    return Found(len(queue), wrong=wrong, steps=self._steps(edge))
                if not needless:
                    self.leads[known].append(number)
            if len(queue) > self.most:
                return Found(len(queue), wrong="there are too many states")
        return self._progress(queue)

    def _number(self, state: State, edge: Edge) -> int:
        number = self.numbers[state] = len(self.edges)
        self.edges.append(edge)
        self.leads.append([])
        return number

    def _progress(self, queue: list[State]) -> Found:
        """From every state a good end must be near without another fault, kill or whim."""
        ends = [number for number, state in enumerate(queue) if is_good_end(state)]
        stops = [
            number
            for number, state in enumerate(queue)
            if any(worker.at == at.TOO_MANY for worker in state.workers)
        ]
        reached, todo = set(ends + stops), ends + stops
        while todo:
            fresh = [each for each in self.leads[todo.pop()] if each not in reached]
            reached.update(fresh)
            todo += fresh
        for number in range(len(queue)):
            if number not in reached:
                wrong = "no good end can be reached any more"
                return Found(
                    len(queue), ends=len(ends), wrong=wrong, steps=self._steps(self.edges[number])
                )
        return Found(len(queue), ends=len(ends))

    def _steps(self, edge: Edge) -> list[str]:
        """The steps from the start to this one, with the workers' names as they were at the start."""
        path = []
        while edge.before >= 0:
            path.append(edge)
            edge = self.edges[edge.before]
        told, swapped = [], False
        for edge in reversed(path):
            says = edge.says
            if swapped and says[:2] in ("A ", "B "):
                says = "BA"["AB".index(says[0])] + says[1:]
            told.append(says)
            swapped ^= edge.swapped
        return told


def successors(model: Model, state: State) -> Iterator[tuple[str, State, bool]]:
    """Every step from here: who does what, what is then, and whether runs can do without it."""
    for me in (0, 1):
        for says, after in verbs.steps(model, state, me):
            yield f"{'AB'[me]} {says}", after, False
    for source in NEEDED:
        for says, after in source(model, state):
            yield says, after, False
    for source in NEEDLESS:
        for says, after in source(model, state):
            yield says, after, True
