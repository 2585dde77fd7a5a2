"""Before a run goes on: is the world still as it was read?"""

from dataclasses import replace
from typing import Any, Literal

import pytest
from django.db import OperationalError

from approvals.models import ApprovalRequest
from checkpoints import reading
from checkpoints.graph import ACTION, READ, RESULTS, Context, Node, Recheck, State, To
from checkpoints.models import Case, Checkpoint, Event, Run
from reconciliation.models import Action, Attempt
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, propose_to_the_input, raises, remember
from tests.execution.runs import due, full, head

Policy = Literal["note", "reread", "hold"]
ACT = Node("act", ACTION, ("end",), propose=propose_to_the_input, absorb=remember, handles=RESULTS)


class World:
    """Versions of sources that a test can move."""

    def __init__(self) -> None:
        self.versions: dict[str, str | None] = {"a": "a1", "b": "b1"}

    def current(self, source: str, context: Context) -> str | None:
        return self.versions[source]


def reading_graph(
    patch: pytest.MonkeyPatch, world: World, policies: dict[str, Policy], *, current: Any = None
) -> None:
    """Reads a, then b, then proposes what it has read."""
    made = graph(start="read a")
    order = [*policies, "act"]
    for source, policy in policies.items():
        node = f"read {source}"
        after = order[order.index(source) + 1]
        to = after if after == "act" else f"read {after}"
        recheck = Recheck(current or world.current, policy)
        made.add(Node(node, READ, (to,), run=_reader(world, source, to), recheck=recheck))
    made.add(ACT)
    install(patch, made)


def _reader(world: World, source: str, to: str) -> Any:
    def read(state: State, context: Context) -> To:
        version = world.versions[source]
        context.saw(source, str(version))
        return To(to, {**state, source: version})

    return read


def waiting(engine: Bench) -> Run:
    run = engine.start("odd")
    engine.turn()
    assert full(run).reason == "for_approval"
    return run


def on(engine: Bench, run: Run) -> Run:
    due(run)
    engine.turn()
    if full(run).status == "queued":  # giving a proposal up wakes its run
        engine.turn()
    return full(run)


def test_a_world_that_stands_still_is_not_mentioned(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading_graph(monkeypatch, World(), {"a": "hold", "b": "hold"})
    run = waiting(engine)
    assert on(engine, run).reason == "for_approval"
    assert not Event.objects.filter(what="world moved").exists()


def test_a_moved_source_holds_the_run_when_its_node_says_so(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    reading_graph(monkeypatch, world, {"a": "hold"})
    run = waiting(engine)
    world.versions["a"] = "a2"
    assert on(engine, run).status == "held"
    case = Case.objects.get()
    assert (case.kind, case.sentence) == (
        "world_changed",
        "a was a1 when it was read and is a2 now.",
    )
    assert case.facts == {"error": "moved", "source": "a", "was": "a1", "now": "a2"}


def test_a_moved_source_is_noted_and_the_run_goes_on(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    reading_graph(monkeypatch, world, {"a": "note"})
    run = waiting(engine)
    world.versions["a"] = "a2"
    assert on(engine, run).reason == "for_approval"
    detail = Event.objects.get(what="world moved").detail
    assert detail == {"source": "a", "was": "a1", "now": "a2"}


def test_a_note_about_one_source_does_not_hide_another(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    reading_graph(monkeypatch, world, {"a": "note", "b": "hold"})
    run = waiting(engine)
    world.versions |= {"a": "a2", "b": "b2"}
    assert on(engine, run).status == "held"
    assert Case.objects.get().facts["source"] == "b"


def test_a_source_that_is_gone_holds_the_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    reading_graph(monkeypatch, world, {"a": "reread"})
    run = waiting(engine)
    world.versions["a"] = None
    assert on(engine, run).status == "held"
    assert "is gone now" in Case.objects.get().sentence


def test_a_check_that_raises_holds_the_run(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    reading_graph(monkeypatch, World(), {"a": "note"}, current=raises(OSError("no route")))
    run = engine.start("odd")
    engine.turn()
    assert on(engine, run).status == "held"
    assert "a cannot be checked (OSError: no route)" in Case.objects.get().sentence


def test_rereading_goes_back_in_a_new_checkpoint_and_proposes_anew(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    reading_graph(monkeypatch, world, {"a": "reread"})
    run = waiting(engine)
    world.versions["a"] = "a2"
    assert on(engine, run).reason == "for_approval"
    assert head(run)["a"] == "a2"
    back = Checkpoint.objects.get(run_id=run.id, node="(read again)")
    assert (back.seq, back.parent_seq) == (3, 0)
    old, new = Action.objects.order_by("proposed_seq")
    assert (old.outcome, old.because, old.absorbed_seq) == ("did_not_happen", "withdrawn", 2)
    assert (new.ordinal, new.stands) == (2, "proposed")
    states = list(ApprovalRequest.objects.order_by("asked_at").values_list("state", flat=True))
    assert states == ["withdrawn", "open"]
    assert reading.verify_run(full(run)) == []


def test_rereading_goes_back_to_where_that_source_was_read(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One node that reads many sources: going back to its last visit would not be far enough."""
    world, made = World(), graph(start="read")
    recheck = Recheck(world.current, "reread")

    def read(state: State, context: Context) -> To:
        source = "b" if "a" in state else "a"
        context.saw(source, str(world.versions[source]))
        after = {**state, source: world.versions[source]}
        return To("act" if source == "b" else "read", after)

    made.add(Node("read", READ, ("read", "act"), run=read, recheck=recheck))
    made.add(ACT)
    install(monkeypatch, made)
    run = waiting(engine)
    world.versions["a"] = "a2"
    assert on(engine, run).reason == "for_approval"
    assert (head(run)["a"], head(run)["b"]) == ("a2", "b1")
    committed = full(run).head
    assert on(engine, run).head == committed


def test_rule_12_nothing_is_reread_once_something_reached_the_world(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first effect stands; going back to before the read would forget that it was proposed."""
    world, made = World(), graph(start="read a")
    recheck = Recheck(world.current, "reread")
    made.add(Node("read a", READ, ("first",), run=_reader(world, "a", "first"), recheck=recheck))
    made.add(replace(ACT, name="first", to=("act",), absorb=lambda state, *_: To("act", state)))
    made.add(ACT)
    install(monkeypatch, made)
    run = waiting(engine)
    engine.decide(run)
    engine.turn()
    assert len(effects()) == 1
    world.versions["a"] = "a2"
    assert on(engine, run).reason == "for_approval"
    assert not Checkpoint.objects.filter(node="(read again)").exists()
    assert Event.objects.filter(what="world moved").count() == 1
    assert Attempt.objects.count() == 1


def test_a_database_that_is_gone_says_nothing_of_the_world(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = raises(OperationalError("terminating connection"))
    reading_graph(monkeypatch, World(), {"a": "note"}, current=gone)
    run = engine.start("odd")
    engine.turn()
    due(run)
    with pytest.raises(OperationalError):
        engine.turn()
    assert not Case.objects.exists()
