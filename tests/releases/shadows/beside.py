"""A live run of the stable combo, and its twin on a candidate whose prompt may want something else."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from checkpoints import rungs, twins
from checkpoints.graph import ACTION, END, MODEL, RESULTS, Context, Node, Proposal, State, To
from checkpoints.models import Combo, Run, Twin
from checkpoints.registry import combo_of
from reconciliation.tools import Wording
from releases.gates import policies
from releases.models import Release
from releases.shadows import keeping, starting, sweeping
from releases.shadows.models import Compared
from tests.checkpoints.combos import another
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution import graphs, runs
from tests.releases.traffic import Traffic

WORDINGS = {"fake.void": Wording(("/what",))}


def _think(state: State, context: Context) -> To:
    context.spent(prompt_tokens=3)
    if _prompt(context) == "broken":
        raise ValueError("it cannot think")
    return To("act", {**state, "thought": "", "says": _prompt(context)})


def _propose(state: State, context: Context) -> Proposal:
    tool = "fake.look_up" if state["says"] == "other" else context.input.get("tool", "fake.void")
    what = context.input["what"] if state["says"] in ("", "same") else state["says"]
    return Proposal(tool, {"what": what})


def _prompt(context: Context) -> str:
    return str(context.combo.prompts.get("think", ""))


def saying(patch: pytest.MonkeyPatch) -> None:
    """The task "odd": a model that says what its prompt says, and an effect of that."""
    made = graphs.graph(start="think")
    made.add(Node("think", MODEL, ("act",), run=_think))
    action = Node(
        "act", ACTION, ("act", END), propose=_propose, absorb=graphs.remember, handles=RESULTS
    )
    made.add(action)
    graphs.install(patch, made)


@dataclass
class Stage:
    """Turns are taken in this process; each twin is started by hand."""

    bench: Bench
    candidate: Combo

    def live(self, **content: Any) -> Run:
        """A live run that waits for a yes."""
        run = self.bench.start(graphs.NAME, **{"what": "a", **content})
        self.bench.turn()
        return run

    def twin(self, live: Run, *, series: Any = None, dies_at: int | None = None) -> Run:
        """The twin of a live run, after its first turn."""
        run = self.begun(live, series=series, dies_at=dies_at)
        self.bench.turn()
        return runs.full(run)

    def begun(self, live: Run, *, series: Any = None, dies_at: int | None = None) -> Run:
        """The same, before any turn."""
        made = twins.start(
            runs.full(live),
            self.candidate,
            series=series or uuid4(),
            actor=starting.SHADOWS,
            dies_at=dies_at,
        )
        assert made is not None
        return made

    def allow(self, live: Run) -> Run:
        """Somebody says yes, and the live run is done."""
        self.bench.decide(live)
        self.bench.turn()
        return runs.full(live)

    def go_on(self, twin: Run) -> Run:
        """The twin is woken because its live run is past its effect, and takes a turn.

        One that is of no release has to wait for its time.
        """
        if not sweeping.wake():
            runs.due(twin)
        self.bench.turn()
        return runs.full(twin)

    def compared(self, twin: Run) -> Compared:
        keeping.keep(Twin.objects.select_related("run__tenant", "twin_of__tenant").get(run=twin))
        return Compared.objects.get(run=twin)


def stage(bench: Bench, patch: pytest.MonkeyPatch, says: str = "same") -> Stage:
    """A stage whose candidate says this; "same" is what the stable combo says."""
    saying(patch)
    patch.setattr(registry, "WORDINGS", WORDINGS, raising=False)
    return Stage(bench, another(graphs.NAME, says))


def released(
    releases: Traffic, made: Stage, *, policy: Mapping[str, Any] | None = None, **shadows: int
) -> Release:
    """The candidate in place `shadow`; its tools may make dry runs, and write too: nothing stops it
    from sending but that it is a shadow. `policy`: the usual one, but for its shadows.
    """
    from_policy = {"share": 10_000, "share_of_canary": 10_000, "drills": 0, "at_once": 10}
    policy = {**(policy or policies.USUAL.as_json()), "shadows": from_policy | shadows}
    traffic = Traffic(releases.tenant, made.candidate, releases.ada, releases.dee)
    release = traffic.begin(policy=policy, stable=combo_of(graphs.NAME))
    traffic.climb("fake.void", "fake.look_up", to=rungs.WRITE)
    return traffic.move(release, "begin")
