"""A migrator is rehearsed over many runs without a byte written; those that pass are let go on."""

import pytest

from checkpoints.graph import COMPUTE, Graph, State, To
from checkpoints.models import Case, Checkpoint, Run
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install
from tests.execution.plans.held import carried, planned, results, started, totals
from tests.execution.runs import bounded_turn, full

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def made(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A graph of two nodes, whose code writes schema 1 and is of the same combo when it moves on."""
    monkeypatch.setattr(registry, "manifest", lambda name: {"task_type": name, "code": "same"})
    graph_of = graph()
    graph_of.node("first", COMPUTE, to=["second"])(
        lambda state, context: To("second", {**state, "n": context.input["n"]})
    )
    graph_of.node("second", COMPUTE, to=["end"])(lambda state, _: To("end", dict(state)))
    return install(monkeypatch, graph_of)


def interrupted(engine: Bench, *numbers: int) -> list[Run]:
    over = [engine.start("odd", n=n) for n in numbers]
    for _ in over:
        bounded_turn(engine, 1)
    return over


def only_even(state: State) -> State:
    if state["n"] % 2:
        raise KeyError("odd")
    return {**state, "total": 7}


def upgrade(made: Graph) -> None:
    made.state_schema = 2
    made.state_schemas[2] = {"type": "object", "required": ["total"]}


def unmigratable(engine: Bench, made: Graph, *numbers: int) -> list[Run]:
    over = interrupted(engine, *numbers)
    upgrade(made)
    for _ in over:
        engine.turn()
    assert {full(run).reason for run in over} == {"unmigratable"}
    return over


def test_a_rehearsal_says_of_each_run_whether_it_can_be_read_and_writes_nothing(
    engine: Bench, made: Graph
) -> None:
    over = unmigratable(engine, made, 2, 3, 4)
    was = list(Checkpoint.objects.values().order_by("run_id", "seq"))
    runs_were = list(Run.objects.values().order_by("pk"))
    made.migrate(1, 2)(only_even)
    plan = carried(started(planned(engine, over, "rehearse"), engine.starter))
    assert results(plan) == ["done", "failed", "done"]
    told = list(plan.items.order_by("position").values_list("said", flat=True))
    assert told[0] == "Readable: schema 1 becomes 2."
    assert "from 1 to 2 failed: KeyError: 'odd'" in told[1]
    assert list(Checkpoint.objects.values().order_by("run_id", "seq")) == was
    assert list(Run.objects.values().order_by("pk")) == runs_were
    assert Case.objects.filter(decided_at=None).count() == 3


def test_those_that_pass_are_let_go_on_and_the_others_are_left_out(
    engine: Bench, made: Graph
) -> None:
    over = unmigratable(engine, made, 2, 3)
    made.migrate(1, 2)(only_even)
    plan = planned(engine, over, "release")
    assert totals(plan) == {"planned": 1, "left_out": 1}
    assert "KeyError: 'odd'" in plan.items.get(run=over[1]).sentence
    carried(started(plan, engine.starter))
    engine.turn()
    assert [full(run).status for run in over] == ["succeeded", "held"]


def test_a_migrator_that_broke_since_the_review_lets_nothing_go(engine: Bench, made: Graph) -> None:
    over = unmigratable(engine, made, 2)
    made.migrate(1, 2)(only_even)
    plan = started(planned(engine, over, "release"), engine.starter)
    made.migrators[(1, 2)] = lambda _state: {}
    carried(plan)
    assert totals(plan) == {"failed": 1}
    assert full(over[0]).status == "held"


def test_a_state_that_this_code_reads_as_it_is_is_told_so(engine: Bench, made: Graph) -> None:
    plan = planned(engine, interrupted(engine, 2), "rehearse")
    carried(started(plan, engine.starter))
    assert plan.items.get().said == "Readable as it is: schema 1."
