"""Small graphs made by a test, beside the ones every engine test has."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    RESULTS,
    AbsorbFunction,
    Context,
    Graph,
    Node,
    NodeFunction,
    Proposal,
    ProposeFunction,
    Result,
    State,
    To,
)
from tests.engine import registry

NAME = "odd"


def graph(start: str = "first", **options: Any) -> Graph:
    """An empty graph of the task type "odd" that may use every fake tool."""
    manifest = replace(registry.GRAPHS["steps"].manifest, succeeded=lambda _: True)
    return Graph(NAME, title=NAME, start=start, **{"manifest": manifest, **options})


def install(patch: pytest.MonkeyPatch, made: Graph) -> Graph:
    """Let this process run the graph; it can be started as "odd"."""
    patch.setitem(registry.GRAPHS, NAME, made.checked())
    return made


def single(
    patch: pytest.MonkeyPatch, run: NodeFunction, *, to: tuple[str, ...] = (END,), **options: Any
) -> Graph:
    """A graph whose only node is `first`."""
    made = graph()
    made.add(Node("first", options.pop("kind", COMPUTE), to, run=run, **options))
    return install(patch, made)


def acting(
    patch: pytest.MonkeyPatch,
    *,
    propose: ProposeFunction | None = None,
    absorb: AbsorbFunction | None = None,
    **options: Any,
) -> Graph:
    """A graph whose only node is an action: it proposes `a-0` to the input's tool, then ends."""
    made = graph(**options)
    action = Node(
        "first",
        ACTION,
        ("first", END),
        propose=propose or propose_to_the_input,
        absorb=absorb or remember,
        handles=RESULTS,
    )
    made.add(action)
    return install(patch, made)


def propose_to_the_input(state: State, context: Context) -> Proposal:
    return Proposal(context.input.get("tool", "fake.void"), {"what": "a-0"})


def remember(state: State, result: Result, context: Context) -> To:
    return To(END, {**state, "heard": result.kind, "receipt": result.receipt})


def returns(state: object, node: str = END) -> NodeFunction:
    """A node that leaves this behind, whatever it is."""
    return lambda _state, _context: To(node, state)  # type: ignore[arg-type]


def raises(error: Exception) -> Callable[..., Any]:
    """A node, propose or absorb that fails."""

    def fail(*_: Any) -> Any:
        raise error

    return fail


def appends(*items: Any, to: str = END) -> NodeFunction:
    """A node that appends to the list `log` and goes on."""

    def run(state: State, context: Context) -> To:
        for item in items:
            context.append("log", item)
        return To(to, state)

    return run
