"""Migrators: to the schema this code reads, step by step, or not at all."""

from typing import Any

import jsonschema
import pytest

from checkpoints import migrators
from checkpoints.errors import UnmigratableError
from checkpoints.graph import Graph, State
from tests.checkpoints.test_graph import make

SCHEMA_2 = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}


def graph(*steps: tuple[int, int], schemas: dict[int, Any] | None = None) -> Graph:
    made = make()
    made.state_schemas = schemas or {}
    for step in steps:
        made.migrate(*step)(_noting(step))
    return made


def test_the_shortest_path_is_taken() -> None:
    found = migrators.path(graph((1, 2), (2, 3), (3, 4), (2, 4)), 1, 4)
    assert found == [(1, 2), (2, 4)]


def test_migrators_lead_both_ways() -> None:
    both = graph((1, 2), (2, 3), (3, 2), (2, 1))
    assert migrators.path(both, 1, 3) == [(1, 2), (2, 3)]
    assert migrators.path(both, 3, 1) == [(3, 2), (2, 1)]


def test_no_path_is_said_with_both_numbers() -> None:
    with pytest.raises(UnmigratableError, match="no migrator from state schema 1 to 3"):
        migrators.path(graph((1, 2), (3, 2)), 1, 3)


def test_each_step_gets_what_the_one_before_returned() -> None:
    state = migrators.migrate(graph((1, 2), (2, 3)), {"went": []}, 1, 3)
    assert state == {"went": [[1, 2], [2, 3]]}


def test_the_old_state_stays_untouched() -> None:
    old: State = {"went": [], "deep": {"x": 1}}
    made = make()

    @made.migrate(1, 2)
    def spoil(state: State) -> State:
        state["deep"]["x"] = 2
        return state

    migrators.migrate(made, old, 1, 2)
    assert old == {"went": [], "deep": {"x": 1}}


def test_a_migrator_that_raises_is_named_with_what_it_said() -> None:
    made = make()

    @made.migrate(1, 2)
    def fail(state: State) -> State:
        raise KeyError("total")

    said = "migrator of t from 1 to 2 failed: KeyError: 'total'"
    with pytest.raises(UnmigratableError, match=said):
        migrators.migrate(made, {}, 1, 2)


@pytest.mark.parametrize("returned", [None, [1], {"x": float("nan")}, {"x": (1,)}, {1: "x"}])
def test_a_migrator_must_return_a_strict_object(returned: Any) -> None:
    made = make()
    made.migrate(1, 2)(lambda _: returned)
    with pytest.raises(UnmigratableError, match="from 1 to 2 failed"):
        migrators.migrate(made, {}, 1, 2)


def test_every_intermediate_state_must_fit_its_schema() -> None:
    made = graph((1, 2), (2, 3), schemas={2: SCHEMA_2})
    with pytest.raises(UnmigratableError, match="'total' is a required property"):
        migrators.migrate(made, {"went": []}, 1, 3)


def test_a_schema_judges_only_what_is_the_nodes_own() -> None:
    closed = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    made = graph(schemas={1: closed})
    migrators.check_schema(made, {"a": 1, "$chains": {}}, 1)
    with pytest.raises(jsonschema.ValidationError):
        migrators.check_schema(made, {"a": 1, "b": {}}, 1)


def _noting(step: tuple[int, int]) -> Any:
    return lambda state: {**state, "went": [*state["went"], list(step)]}
