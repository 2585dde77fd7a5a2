"""Forking a run: from where, onto what, and never past an effect that nobody knows of."""

from dataclasses import replace
from uuid import uuid4

import pytest

from checkpoints import reading, registry, stops
from checkpoints.errors import (
    ForkMovedError,
    ForkRefusedError,
    IllegalMoveError,
    StoppedError,
)
from checkpoints.graph import Recheck
from checkpoints.models import Checkpoint, Fork, Run
from execution.forks import making, previews
from reconciliation.models import Action, Attempt
from tenants.actors import Actor
from tests.checkpoints.records import by_force
from tests.engine import registry as agents
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.forks.ways import done, forked, held_before_its_effect
from tests.execution.runs import full, head, waiting


@pytest.mark.parametrize("tool", ["fake.void", "fake.keyed", "fake.look_up", "fake.nothing"])
def test_s19_from_each_checkpoint_the_world_is_changed_once(engine: Bench, tool: str) -> None:
    source = done(engine, tool)
    for seq in range(source.head + 1):
        run = forked(engine, source, seq)
        engine.turn()
        run = full(run)
        assert run.status == "succeeded", run.sentence
        assert head(run)["heard"] == [["happened", ""]]
        assert head(run)["receipt"] == head(source)["receipt"]
        assert reading.verify_run(run) == []
    assert len(effects()) == 1
    assert Attempt.objects.count() == 1


def test_s19_resume_makes_no_run_and_fork_leaves_its_source_as_it_is(engine: Bench) -> None:
    source = done(engine)
    was = list(Checkpoint.objects.filter(run_id=source.id).order_by("seq").values())
    run_was = Run.objects.filter(pk=source.pk).values().get()
    forked(engine, source, 2)
    engine.turn()
    assert list(Checkpoint.objects.filter(run_id=source.id).order_by("seq").values()) == was
    assert Run.objects.filter(pk=source.pk).values().get() == run_was
    assert Run.objects.count() == 2


@pytest.mark.parametrize("status", ["waiting", "queued"])
def test_rule_5_a_run_at_work_is_not_forked(engine: Bench, status: str) -> None:
    run = waiting(engine) if status == "waiting" else engine.start()
    with pytest.raises(ForkRefusedError, match="still at work"):
        forked(engine, run, 0)


def test_rule_12_nobody_forks_past_an_unknown_effect(engine: Bench) -> None:
    run = unknown(engine)
    for seq in (0, 2, full(run).head):
        with pytest.raises(ForkRefusedError, match="nobody knows yet what became of it"):
            forked(engine, run, seq)
    assert not Fork.objects.exists()


def test_rule_12_an_unknown_effect_of_another_fork_blocks_as_well(engine: Bench) -> None:
    source = done(engine, "fake.nothing")
    effect = Action.objects.get()
    run = forked(engine, source, 2, again=frozenset({effect.pk}))
    engine.turn()
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    assert full(run).effect_in_flight is not None
    with pytest.raises(ForkRefusedError, match="nobody knows yet"):
        forked(engine, source, 1)


def test_a_damaged_checkpoint_is_not_forked_from_and_the_others_are(engine: Bench) -> None:
    source = done(engine)
    with by_force():
        Checkpoint.objects.filter(run_id=source.id, seq=3).update(state=b"{}")
    with pytest.raises(ForkRefusedError, match="not what was committed"):
        forked(engine, source, 3)
    assert forked(engine, source, 2).head == 1


def test_s89_onto_code_that_lacks_the_node_nobody_forks(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = done(engine)
    graph = agents.GRAPHS["steps"]
    nodes = {name: node for name, node in graph.nodes.items() if name != "think"}
    monkeypatch.setattr(graph, "nodes", nodes)
    at = Checkpoint.objects.get(run_id=source.id, next_node="think").seq
    with pytest.raises(ForkRefusedError, match="has no node think"):
        forked(engine, source, at)


def test_s89_onto_a_schema_that_nothing_migrates_to_nobody_forks(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = done(engine)
    monkeypatch.setattr(agents.GRAPHS["steps"], "state_schema", 2)
    with pytest.raises(ForkRefusedError, match="no migrator from state schema 1 to 2"):
        forked(engine, source, 2)


def test_s89_onto_a_combo_whose_code_is_not_here_nobody_forks(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = done(engine)
    old = source.combo
    monkeypatch.setattr(agents, "manifest", newer)
    with pytest.raises(ForkRefusedError, match="Its code is not installed here"):
        forked(engine, source, 2, combo=old)
    run = forked(engine, source, 2)
    assert run.combo == registry.combo_of("steps") != old
    engine.turn()
    assert full(run).status == "succeeded"


def newer(task_type: str) -> dict[str, object]:
    return {"task_type": task_type, "code": "newer", "state_schema": 1, "rules": agents.RULES}


def test_a_checkpoint_at_which_a_run_failed_is_no_way_on(engine: Bench) -> None:
    run = engine.start("strict", tool="fake.void", what="a")
    engine.turn()
    engine.decide(run, "reject")
    engine.turn()
    assert full(run).status == "failed"
    with pytest.raises(ForkRefusedError, match="had come to its end there"):
        forked(engine, run, full(run).head)


def test_a_stop_of_new_runs_holds_forks_back(engine: Bench) -> None:
    source = done(engine)
    stops.stop(engine.tenant, "new_runs", why="flood", actor=Actor.person(engine.starter))
    with pytest.raises(StoppedError):
        forked(engine, source, 2)


def test_a_request_repeated_is_one_fork(engine: Bench) -> None:
    source = done(engine)
    token = uuid4()
    first = forked(engine, source, 2, token=token)
    assert forked(engine, source, 2, token=token) == first
    assert Fork.objects.count() == 1
    with pytest.raises(ForkRefusedError, match="has forked another checkpoint"):
        forked(engine, source, 3, token=token)


def test_whoever_forks_meanwhile_is_seen_by_the_other(engine: Bench) -> None:
    source = done(engine)
    seen = previews.preview(source, 2, source.combo, frozenset(), withdraws=False).digest
    forked(engine, source, 2, seen=seen)
    with pytest.raises(ForkMovedError, match="Something moved"):
        forked(engine, source, 2, seen=seen)
    assert Fork.objects.count() == 1


def test_a_fork_needs_a_reason(engine: Bench) -> None:
    with pytest.raises(IllegalMoveError, match="needs a reason"):
        forked(engine, done(engine), 2, reason=" ")


def test_whoever_started_the_source_cannot_approve_what_the_fork_asks(engine: Bench) -> None:
    source = done(engine)
    asked = making.Wanted(2, "as Dee", uuid4())
    run, _ = making.fork(source, asked, actor=Actor.person(engine.approver))
    assert (run.started_by, run.on_behalf_of) == (engine.approver, engine.starter.email)
    assert forked(engine, source, 2).on_behalf_of == ""


def test_an_effect_to_be_done_again_must_be_one_of_the_lineage_that_happened(
    engine: Bench,
) -> None:
    source = done(engine)
    for again in (uuid4(), Action.objects.get().pk):
        with pytest.raises(ForkRefusedError, match="must have happened after that checkpoint"):
            forked(engine, source, source.head, again=frozenset({again}))


def unknown(engine: Bench) -> Run:
    run = waiting(engine, "fake.nothing")
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    assert full(run).status == "held"
    return run


def test_s87_a_fork_knows_nothing_of_what_came_after_its_checkpoint(engine: Bench) -> None:
    """There are no graphs inside graphs here: the state is one, and lists are copied up to it."""
    source = done(engine)
    run = forked(engine, source, 2)
    items = reading.chain_items(run, reading.load_head(run), "log")
    assert items == reading.chain_items(source, reading.load(source, 2), "log")
    assert len(items) == 1
    engine.turn()
    nodes = Checkpoint.objects.filter(run_id=run.id).order_by("seq").values_list("node", flat=True)
    assert list(nodes) == ["(forked)", "count", "count", "think", "act"]


@pytest.mark.parametrize(("acted", "status"), [(False, "held"), (True, "succeeded")])
def test_what_was_read_before_the_fork_and_moved_since(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, *, acted: bool, status: str
) -> None:
    """To read it again would go back to a checkpoint of another run, so a person is called; where
    the lineage has acted itself, what moved may be its own doing, and keys say the rest."""
    source = done(engine) if acted else held_before_its_effect(engine)
    graph = agents.GRAPHS["steps"]
    moved = replace(graph.nodes["look"], recheck=Recheck(lambda *_: "2", if_moved="reread"))
    monkeypatch.setitem(graph.nodes, "look", moved)
    run = forked(engine, source, 2)
    engine.turn()
    assert full(run).status == status
    assert len(effects()) == int(acted)


def test_a_fork_that_goes_back_takes_over_again(engine: Bench) -> None:
    source = done(engine)
    run = forked(engine, source, 2)
    engine.turn()
    second = forked(engine, run, full(run).head - 1)
    engine.turn()
    assert full(second).status == "succeeded"
    assert len(effects()) == 1
    assert reading.verify_run(full(second)) == []
