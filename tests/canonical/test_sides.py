"""Side by side shows the same lines as one below the other."""

from hypothesis import given
from hypothesis import strategies as st

from canonical.sides import Pair, pairs
from canonical.unified import Row


def row(kind: str, text: str = "") -> Row:
    return Row(kind, 1, 1, text)  # type: ignore[arg-type]


def test_added_lines_stand_beside_those_they_replace() -> None:
    same, gone, come, more = row("context"), row("removed"), row("added", "b"), row("added", "c")
    assert list(pairs([same, gone, come, more, same])) == [
        Pair(same, same),
        Pair(gone, come),
        Pair(None, more),
        Pair(same, same),
    ]


def test_what_is_removed_after_an_addition_starts_anew() -> None:
    gone, come = row("removed"), row("added")
    assert list(pairs([come, gone])) == [Pair(None, come), Pair(gone, None)]


kinds = st.lists(st.sampled_from(["context", "added", "removed", "note"]))


@given(kinds)
def test_every_line_is_shown_once_on_its_side(made: list[str]) -> None:
    rows = [row(kind, str(number)) for number, kind in enumerate(made)]
    beside = list(pairs(rows))
    old = [pair.old for pair in beside if pair.old is not None]
    new = [pair.new for pair in beside if pair.new is not None]
    assert [each for each in old if each.kind == "removed"] == [
        each for each in rows if each.kind == "removed"
    ]
    assert [each for each in new if each.kind == "added"] == [
        each for each in rows if each.kind == "added"
    ]
    assert {each.text for each in old + new} == {each.text for each in rows}
