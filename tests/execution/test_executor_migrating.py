"""A state of another schema than this code reads: migrated in a checkpoint of its own, or held."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from checkpoints import reading
from checkpoints.graph import COMPUTE, Graph, Migrator, State, To
from checkpoints.models import Case, Checkpoint, Run
from execution.executor import OLD_SCHEMA_NODE, WENT_BACK_NODE
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.graphs import appends, graph, install
from tests.execution.runs import bounded_turn, full, head

NEEDS_TOTAL = {"type": "object", "required": ["total"]}


def totalled(state: State) -> State:
    return {**state, "total": 7}


@pytest.fixture
def old(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> tuple[Bench, Run, Graph]:
    """A run interrupted after its first node, by code that wrote schema 1; it is a combo's twin."""
    monkeypatch.setattr(registry, "manifest", lambda name: {"task_type": name, "code": "same"})
    made = graph()
    made.node("first", COMPUTE, to=["second"])(appends("kept", to="second"))
    made.node("second", COMPUTE, to=["end"])(lambda state, _: To("end", {**state, "seen": 1}))
    install(monkeypatch, made)
    run = engine.start("odd")
    bounded_turn(engine, 1)
    return engine, run, made


def upgrade(made: Graph, migrator: Migrator | None = totalled) -> None:
    made.state_schema = 2
    made.state_schemas[2] = NEEDS_TOTAL
    if migrator is not None:
        made.migrate(1, 2)(migrator)


def test_an_old_state_is_migrated_in_a_checkpoint_of_its_own(
    old: tuple[Bench, Run, Graph],
) -> None:
    engine, run, made = old
    upgrade(made)
    engine.turn()
    assert full(run).status == "succeeded"
    chain = Checkpoint.objects.filter(run_id=run.id).order_by("seq")
    assert list(chain.values_list("node", "next_node")) == [
        ("first", "second"),
        (OLD_SCHEMA_NODE, "second"),
        ("second", "end"),
    ]
    assert reading.load(full(run), 1).header["schema"] == 1
    assert reading.load(full(run), 2).header["schema"] == 2
    assert head(run)["total"] == 7
    assert reading.chain_items(full(run), reading.load_head(full(run)), "log") == ["kept"]


def test_a_newer_state_is_migrated_down(old: tuple[Bench, Run, Graph]) -> None:
    engine, run, made = old
    made.state_schema = 0
    made.migrate(1, 0)(lambda state: {**state, "down": True})
    engine.turn()
    assert head(run)["down"] is True


def fail(state: State) -> State:
    raise KeyError("total")


@pytest.mark.parametrize(
    ("migrator", "says"),
    [
        (None, "no migrator from state schema 1 to 2"),
        (fail, "from 1 to 2 failed: KeyError: 'total'"),
        (lambda state: state, "'total' is a required property"),
        (lambda _: {"total": float("nan")}, "at /total: is NaN"),
        (lambda _: None, "from 1 to 2 failed"),
    ],
)
def test_a_state_nobody_can_migrate_is_held_with_its_bytes_untouched(
    old: tuple[Bench, Run, Graph], migrator: Callable[[State], Any] | None, says: str
) -> None:
    engine, run, made = old
    was = Checkpoint.objects.values().get()
    upgrade(made, migrator)
    engine.turn()
    case = Case.objects.get(run=run)
    assert (full(run).status, case.kind) == ("held", "unmigratable")
    assert says in case.sentence
    assert (case.facts["schema"], case.facts["reads"]) == (1, 2)
    assert Checkpoint.objects.values().get() == was


def test_a_run_whose_next_node_is_gone_is_held(old: tuple[Bench, Run, Graph]) -> None:
    engine, run, made = old
    del made.nodes["second"]
    engine.turn()
    assert Case.objects.get(run=run).kind == "unmigratable"
    assert "this code has no node 'second'" in Case.objects.get(run=run).sentence


def test_once_a_migrator_is_deployed_the_run_goes_on(old: tuple[Bench, Run, Graph]) -> None:
    engine, run, made = old
    upgrade(made, None)
    engine.turn()
    made.migrate(1, 2)(totalled)
    case = Case.objects.get(run=run)
    verdicts.give(case.id, Given("try_again", "deployed"), user=engine.approver)
    engine.turn()
    assert full(run).status == "succeeded"
    assert Case.objects.get().closed_at is not None


def test_going_back_to_an_older_schema_migrates_it_again(old: tuple[Bench, Run, Graph]) -> None:
    engine, run, made = old
    upgrade(made)
    made.nodes["second"] = replace(made.nodes["second"], run=fail_at_work)
    engine.turn()
    case = Case.objects.get(run=run)
    made.nodes["second"] = replace(made.nodes["second"], run=end_with_total)
    verdicts.give(case.id, Given("go_on_from", "again", seq=1), user=engine.approver)
    engine.turn()
    assert full(run).status == "succeeded"
    nodes = list(Checkpoint.objects.order_by("seq").values_list("node", flat=True))
    assert nodes == ["first", OLD_SCHEMA_NODE, WENT_BACK_NODE, OLD_SCHEMA_NODE, "second"]
    assert head(run) == {"$chains": head(run)["$chains"], "total": 7}


def fail_at_work(*_: Any) -> To:
    raise ValueError("no")


def end_with_total(state: State, _: Any) -> To:
    return To("end", {"total": state["total"]})
