"""A template is filled and read back without losing or inventing a value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools import templates
from agents.tools.errors import BadProposal

TEXTS = st.text(min_size=1).filter(lambda text: text not in {".", ".."})
PATH = "/orders/{order}/lines/x{line}?by={$action_id}"


@given(order=TEXTS, line=TEXTS)
def test_what_stands_in_a_path_is_read_back(order: str, line: str) -> None:
    values = {"order": order, "line": line, "$action_id": "a-1"}
    filled = templates.filled_path(PATH, values)
    assert templates.read_text(PATH, filled, quoted=True) == list(values.items())


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_a_value_leads_to_no_other_place(value: str) -> None:
    with pytest.raises(BadProposal):
        templates.filled_path("/orders/{order}", {"order": value})


def test_a_slash_in_a_value_is_no_slash_of_the_path() -> None:
    assert templates.filled_path("/o/{x}", {"x": "../../a?b#c"}) == "/o/..%2F..%2Fa%3Fb%23c"


def test_a_member_that_is_not_given_is_left_out_and_read_so() -> None:
    template = {"a": {"$value": "a"}, "b": [{"$value": "b"}], "c": 1}
    filled = templates.filled(template, {"b": 2})
    assert filled == {"b": [2], "c": 1}
    assert templates.read_json(template, filled) == [("b", 2)]


@pytest.mark.parametrize(
    "other", [{"c": 1, "b": [2], "more": 0}, {"b": [2]}, {"c": True, "b": [2]}, {"c": 1, "b": []}]
)
def test_what_is_not_of_the_template_is_not_read(other: object) -> None:
    template = {"a": {"$value": "a"}, "b": [{"$value": "b"}], "c": 1}
    assert templates.read_json(template, other) is None


@pytest.mark.parametrize("value", [True, 1.5, None, ["x"]])
def test_only_texts_and_whole_numbers_stand_in_a_text(value: object) -> None:
    with pytest.raises(BadProposal):
        templates.filled_text("{x}", {"x": value})
