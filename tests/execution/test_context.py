"""What a node is handed, and what is collected from it."""

import pytest

from canonical import digests
from canonical import json as canonical
from checkpoints import reading
from checkpoints.models import Blob
from execution.context import NodeContext, sealed_state, visible
from tests.engine.turns import Bench
from tests.execution.runs import full


@pytest.fixture
def context(engine: Bench) -> NodeContext:
    """Of the step after a finished run with three items in its list."""
    run = engine.start(steps=3)
    engine.turn()
    loaded = reading.load_head(full(run))
    return NodeContext(run=full(run), loaded=loaded, node="next", seq=6, input={"steps": 3})


def test_a_node_is_told_who_and_where_it_is(context: NodeContext) -> None:
    assert context.run_id == str(context.run.id)
    assert context.tenant == context.run.tenant.slug
    assert (context.node, context.seq, context.input) == ("next", 6, {"steps": 3})


def test_items_are_those_committed_and_those_just_appended(context: NodeContext) -> None:
    context.append("log", {"step": 4})
    context.append("new", "first")
    assert [item["step"] for item in context.items("log")] == [1, 2, 3, 4]
    assert context.items("new") == ["first"]
    assert context.items("other") == []


def test_an_item_is_what_its_bytes_say(context: NodeContext) -> None:
    context.append("new", {"b": 1.0, "a": -0.0})
    assert context.items("new") == [{"a": 0, "b": 1}]
    assert isinstance(context.items("new")[0]["b"], int)


def test_chains_go_on_from_the_committed_tail(context: NodeContext) -> None:
    before = context.loaded.state["$chains"]["log"]
    context.append("log", "x")
    after = context.chains()["log"]
    assert after == {
        "length": before["length"] + 1,
        "digest": digests.chain(before["digest"], canonical.dumps("x")),
    }


def test_what_was_appended_goes_with_the_row(context: NodeContext) -> None:
    assert context.appended_bytes() is None
    context.append("log", "x")
    context.append("log", "y")
    assert context.appended_bytes() == b'{"log":["x","y"]}'


def test_a_large_value_is_stored_and_named(context: NodeContext) -> None:
    reference = context.put(b"large")
    assert context.get(reference) == b"large"
    assert context.store({}) == (reference["$blob"],)
    assert Blob.objects.filter(tenant=context.run.tenant).count() == 2


def test_fingerprints_say_who_read_them_and_costs_add_up(context: NodeContext) -> None:
    context.saw("remote", "abc")
    context.saw("remote", "abd")
    context.spent(tokens=3)
    context.spent(tokens=4, calls=1)
    assert context.fingerprints == {"remote": ["abd", "next"]}
    assert context.cost == {"tokens": 7, "calls": 1}


def test_a_node_sees_a_copy_without_the_engines_members() -> None:
    state = {"a": {"b": 1}, "$chains": {}}
    seen = visible(state)
    seen["a"]["b"] = 2
    assert (list(seen), state["a"]) == (["a"], {"b": 1})


def test_a_sealed_state_carries_its_chains(context: NodeContext) -> None:
    content, value = sealed_state({"b": 2.0, "a": 1}, context, limit=10_000)
    assert value == {"a": 1, "b": 2, "$chains": context.chains()}
    assert content == canonical.dumps(value)
