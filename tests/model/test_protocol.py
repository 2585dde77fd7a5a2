"""The protocol in the model: it holds, each of its rules is needed, and it is the engine's own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reconciliation import states as world
from tests.crash.test_matrix_short import _boundaries_of_the_source
from tests.model import checker, tools
from tests.model import states as at
from tests.model.acts import Steps
from tests.model.checker import explore
from tests.model.committing import PROMOTES
from tests.model.rules import NAMES, SAYS
from tests.model.states import State
from tests.model.surroundings import CANCELS, CUTS, EXTRAS, JUMPS, STOPS
from tests.model.switched import WITHOUT, without
from tests.model.tools import Tool
from tests.model.turns import Model
from tests.model.verbs import BOUNDARIES, NOT_IN_THE_MODEL, VERBS

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = 10_000


# What may happen besides kills and pauses, each with a class of tools that has few enough states;
# `make model` tries every one with every class.
BESIDES = (
    (tools.NOTHING, STOPS),
    (tools.LOOK_UP, JUMPS),
    (tools.NOTHING, PROMOTES),
    (tools.NOTHING, CUTS),
    (tools.LOOK_UP, CANCELS),
)


@pytest.mark.parametrize(
    ("tool", "besides"),
    [*((tool, "") for tool in tools.ALL), *BESIDES],
    ids=lambda it: it.name if isinstance(it, Tool) else it,
)
def test_the_protocol_holds_in_every_state_and_always_has_a_good_end(
    tool: Tool, besides: str, record_property: Callable[[str, object], None]
) -> None:
    found = explore(Model(tool, extras=frozenset({besides} - {""})))
    record_property("model_states", found.states)
    record_property("model_seconds", found.seconds)
    assert found.wrong == "", "\n".join(found.steps)
    assert found.states > ENOUGH
    assert found.ends


def test_everything_that_may_happen_is_tried_with_all_rules_on() -> None:
    assert {besides for _, besides in BESIDES} == set(EXTRAS)


@pytest.mark.parametrize("rule", NAMES)
def test_without_any_one_rule_the_checker_finds_what_breaks(rule: str) -> None:
    found = without(rule)
    assert found.wrong == WITHOUT[rule][2], f"switched off: {SAYS[rule]}"
    assert found.steps


@pytest.mark.parametrize(
    ("may", "wrong"),
    [
        (lambda it: it.status in at.FINAL, "a run that had ended went on"),
        (lambda it: it.head == 2, "the head moved by more than one"),
    ],
)
def test_a_wrong_step_is_seen_also_where_it_leads_to_a_state_that_is_known(
    may: Callable[[State], bool], wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begins_anew(model: Model, state: State) -> Steps:
        if may(state):
            yield "it begins anew", State()  # the first state that there is

    monkeypatch.setattr(checker, "NEEDED", (*checker.NEEDED, begins_anew))
    found = explore(Model(tools.NOTHING))
    assert found.wrong == wrong
    assert found.steps[-1] == "it begins anew"


def test_the_boundaries_of_the_model_are_those_of_the_engine() -> None:
    engines = {name.rpartition(":")[0] or name for name in _boundaries_of_the_source()}
    assert engines == {*BOUNDARIES, *NOT_IN_THE_MODEL}
    assert set(VERBS) - {each for places in BOUNDARIES.values() for each in places} == {
        "suspend", "hold", "arm", "settle no", "too many attempts",
    }  # fmt: skip


def test_what_follows_an_unknown_outcome_is_decided_by_the_engines_own_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []

    def first_step(*given: object) -> str:
        asked.append(given)
        return world.ASK_A_PERSON

    monkeypatch.setattr(world, "first_step", first_step)
    tools.step_after_unknown.cache_clear()
    found = explore(Model(tools.LOOK_UP))
    tools.step_after_unknown.cache_clear()
    assert asked
    assert found.states < ENOUGH, "nobody looks up"


def test_the_document_names_each_rule_of_the_model() -> None:
    document = (ROOT / "docs/PROTOCOL.md").read_text()
    assert [rule for rule in NAMES if f"| `{rule}` |" not in document] == []
