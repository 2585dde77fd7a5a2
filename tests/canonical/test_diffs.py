"""The difference of two JSON values: complete, typed, and never empty by mistake."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical.diffs import Change, json_changes
from canonical.json import CanonicalError, dumps, loads
from tests.canonical.strategies import leaves, texts, values

# Values that are alike more often than by chance: what a diff has to tell apart.
alike = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 0.0, -0.0, 0.5, "", "1", "a"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("ab/"), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.one_of(st.tuples(alike, alike), st.tuples(values, values)))
def test_the_diff_is_empty_exactly_when_the_bytes_are_equal(pair: tuple[Any, Any]) -> None:
    old, new = pair
    assert (json_changes(old, new) == []) == (dumps(old) == dumps(new))


@given(values)
def test_a_value_does_not_differ_from_its_copy(value: Any) -> None:
    assert json_changes(value, copy.deepcopy(value)) == []


@given(values, texts, leaves)
def test_one_added_key_is_one_change(value: Any, key: str, leaf: Any) -> None:
    changes = json_changes({"rest": value}, {"rest": value, "x" + key: leaf})
    assert [(change.kind, dumps(change.new)) for change in changes] == [("added", dumps(leaf))]


@given(st.lists(alike, max_size=6), alike, st.integers(0, 6))
def test_one_inserted_item_is_one_change(items: list[Any], item: Any, at: int) -> None:
    longer = [*items[:at], item, *items[at:]]
    assert [change.kind for change in json_changes(items, longer)] == ["added"]
    assert [change.kind for change in json_changes(longer, items)] == ["removed"]


def patched(value: Any, changes: list[Change]) -> Any:
    """Apply changes as their documentation says: removals by old place, the rest by new one."""
    root = [copy.deepcopy(value)]
    for change in sorted(changes, key=lambda c: c.kind != "removed"):
        parts = [part.replace("~1", "/").replace("~0", "~") for part in change.path.split("/")]
        parts[0] = "0"
        holder: Any = root
        for part in parts[:-1]:
            holder = holder[int(part) if isinstance(holder, list) else part]
        place: Any = int(parts[-1]) if isinstance(holder, list) else parts[-1]
        if change.kind == "removed":
            holder[place] = root
        elif change.kind == "added" and isinstance(holder, list):
            holder.insert(place, change.new)
        else:
            holder[place] = change.new
    return without(root[0], root)


def without(value: Any, gone: object) -> Any:
    if isinstance(value, dict):
        return {key: without(item, gone) for key, item in value.items() if item is not gone}
    if isinstance(value, list):
        return [without(item, gone) for item in value if item is not gone]
    return value


@given(st.one_of(st.tuples(alike, alike), st.tuples(values, values)))
def test_the_changes_say_everything_that_changed(pair: tuple[Any, Any]) -> None:
    old, new = (loads(dumps(value)) for value in pair)
    assert dumps(patched(old, json_changes(old, new))) == dumps(new)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (True, 1, "type_changed"),
        (False, 0, "type_changed"),
        (1, "1", "type_changed"),
        (None, False, "type_changed"),
        ([], {}, "type_changed"),
        (None, 0, "type_changed"),
        (1, 1.5, "changed"),
        ("a", "b", "changed"),
        ("e\u0301", "é", "changed"),
    ],
)
def test_types_are_told_apart_also_inside_lists(old: Any, new: Any, kind: str) -> None:
    assert json_changes(old, new) == [Change("", kind, old, new)]  # type: ignore[arg-type]
    assert json_changes([[old]], [[new]]) == [Change("/0/0", kind, old, new)]  # type: ignore[arg-type]


@pytest.mark.parametrize(("old", "new"), [([2], [2.0]), (0, -0.0), ({"a": 1e3}, {"a": 1000})])
def test_two_spellings_of_one_number_do_not_differ(old: Any, new: Any) -> None:
    assert json_changes(old, new) == []


def test_paths_are_pointers_in_order() -> None:
    old = {"b": {"x/y": 1, "gone": None}, "a": [1, 2, 3]}
    new = {"b": {"x/y": 2}, "a": [1, 9, 3], "new~": None}
    assert json_changes(old, new) == [
        Change("/a/1", "changed", 2, 9),
        Change("/b/gone", "removed", None, None),
        Change("/b/x~1y", "changed", 1, 2),
        Change("/new~0", "added", None, None),
    ]


def test_a_value_without_a_canonical_form_is_refused_not_compared() -> None:
    with pytest.raises(CanonicalError, match="at /a"):
        json_changes({"a": float("nan")}, {"a": float("nan")})


def test_the_deepest_values_are_compared() -> None:
    deep: list[Any] = [1]
    other: list[Any] = [True]
    for _ in range(99):
        deep, other = [deep], [other]
    assert json_changes(deep, other) == [Change("/0" * 100, "type_changed", 1, True)]
