"""What looks the same and is not, says in what it differs."""

import pytest

from canonical.json import Json
from canonical.labels import label, reordered


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1", 1, "type"),
        (None, "null", "type"),
        (True, "true", "type"),
        ("e\u0301", "\u00e9", "form"),
        ("pay", "p\u200bay", "hidden"),
        ("pay", "pay\u00a0", "space"),
        ("pay ", "pay", "space"),
        ("pay", "p\u0430y", "alike"),
        ("Pay", "pay", "case"),
        ([1, 2], [2, 1], "order"),
        ([1, 2], [1, 3], None),
        (["1", 1], [1, "1"], "order"),
        ("a", "b", None),
        (1, 2, None),
        (1, 1, None),
        ("a", "a", None),
        (True, 1, None),
    ],
)
def test_what_alone_differs_is_named(old: Json, new: Json, expected: str | None) -> None:
    assert label(old, new) == expected
    assert label(new, old) == expected


def test_lists_that_only_changed_their_order_are_named() -> None:
    old: Json = {"a": [1, 2], "b": {"c/d": [["x", "y"], 3]}, "e": [1, 2], "f": [1]}
    new: Json = {"a": [2, 1], "b": {"c/d": [["y", "x"], 3]}, "e": [1, 3], "f": [1]}
    assert sorted(reordered(old, new)) == ["/a", "/b/c~1d/0"]
