"""Declaring a graph: what is declared wrongly is refused when it is declared."""

import pytest

from checkpoints.errors import GraphError
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    Context,
    Graph,
    Manifest,
    Node,
    Proposal,
    Result,
    State,
    To,
)

MANIFEST = Manifest(
    input_schema={},
    input_source="a test",
    data_class="public",
    succeeded=lambda _: True,
    succeeded_says="always",
)


def make(start: str = "a") -> Graph:
    return Graph("t", title="T", start=start, manifest=MANIFEST)


def run(state: State, context: Context) -> To:
    return To(END, state)


def propose(state: State, context: Context) -> Proposal:
    return Proposal("tool", {})


def absorb(state: State, result: Result, context: Context) -> To:
    return To(END, state)


def test_a_decorated_function_becomes_a_node_and_stays_itself() -> None:
    graph = make()
    assert graph.node("a", COMPUTE, to=[END])(run) is run
    assert graph.checked().nodes["a"] == Node("a", COMPUTE, (END,), run=run)


def test_a_name_is_given_once_and_end_is_taken() -> None:
    graph = make()
    graph.node("a", COMPUTE, to=[END])(run)
    for name in ("a", END):
        with pytest.raises(GraphError, match="is taken"):
            graph.node(name, COMPUTE, to=[END])(run)


@pytest.mark.parametrize(
    "node",
    [
        Node("x", ACTION, (END,), run=run),
        Node("x", ACTION, (END,), propose=propose),
        Node("x", ACTION, (END,), absorb=absorb),
        Node("x", ACTION, (END,), run=run, propose=propose, absorb=absorb),
        Node("x", COMPUTE, (END,)),
        Node("x", COMPUTE, (END,), propose=propose, absorb=absorb),
    ],
)
def test_functions_must_fit_the_kind(node: Node) -> None:
    with pytest.raises(GraphError):
        make().add(node)


def test_an_action_must_take_in_what_happened() -> None:
    node = Node("x", ACTION, (END,), propose=propose, absorb=absorb, handles=("rejected",))
    with pytest.raises(GraphError, match="happened"):
        make().add(node)


def test_unknown_results_are_refused() -> None:
    handles = ("happened", "exploded")
    node = Node("x", ACTION, (END,), propose=propose, absorb=absorb, handles=handles)
    with pytest.raises(GraphError, match="exploded"):
        make().add(node)


def test_an_edge_to_nowhere_is_refused() -> None:
    graph = make()
    graph.node("a", COMPUTE, to=["b", END])(run)
    with pytest.raises(GraphError, match=r"unknown \['b'\]"):
        graph.checked()


def test_a_start_that_is_no_node_is_refused() -> None:
    graph = make(start="z")
    graph.node("a", COMPUTE, to=[END])(run)
    with pytest.raises(GraphError, match="starts at unknown"):
        graph.checked()


def test_migrators_are_kept_by_direction() -> None:
    graph = make()
    up = graph.migrate(1, 2)(lambda state: state)
    assert graph.migrators == {(1, 2): up}
