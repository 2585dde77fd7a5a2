"""What a page shows of a text or of values: all of it, in parts, and every part says how much it is of what."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from approvals.showing import values as showing
from canonical import json as canonical
from canonical.display import weight
from canonical.windows import WINDOW_BYTES, encoded
from tests.approvals.asking import MAIL
from tests.canonical.strategies import values


def test_a_text_is_shown_whole_or_in_parts_that_meet() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000)).encode()
    first = showing.text_part(text)
    parts = [showing.text_part(text, number) for number in range(1, first.parts + 1)]
    assert first.parts > 1
    assert "".join(part.text for part in parts).encode() == text
    assert b"".join(text[part.from_byte : part.to_byte] for part in parts) == text
    assert parts[-1].last == parts[0].total == len(text)
    assert [(b.first, a.last + 1) for a, b in pairwise(parts)] == [
        (part.first, part.first) for part in parts[1:]
    ]
    assert all(part.text.endswith("\n") for part in parts)


@pytest.mark.parametrize(
    "text", ["x" * 60_000, "\u202e" * 60_000, "\u0456x<" * 20_000, "\xe9" * 60_000]
)
def test_no_part_of_a_text_is_too_heavy_for_a_page(text: str) -> None:
    content = encoded(text)
    first = showing.text_part(content)
    parts = [showing.text_part(content, number) for number in range(1, first.parts + 1)]
    assert all(weight(part.text) <= WINDOW_BYTES for part in parts)
    assert "".join(part.text for part in parts) == text
    assert b"".join(content[part.from_byte : part.to_byte] for part in parts) == content


def test_line_ends_of_a_mail_are_said_once_and_mixed_ones_are_shown() -> None:
    mail = showing.text_part(MAIL)
    assert mail.crlf
    assert "\r" not in mail.text
    mixed = showing.text_part(MAIL + b"one\n")
    assert not mixed.crlf
    assert "\r\n" in mixed.text
    assert not showing.text_part(b"a\r\nb\rc").crlf


def test_json_is_compared_by_path_when_it_says_before_and_after() -> None:
    part = showing.json_part(b'{"after":{"limit":82000,"x":[1]},"before":{"limit":100}}', by="bank")
    assert part is not None
    assert part.compares
    assert [(row["path"], row["kind"], row["old"], row["new"]) for row in part.changes] == [
        ("/limit", "changed", "100", "82000"),
        ("/x/0", "added", "", "1"),
    ]
    assert part.changes[0]["by"] == "bank"


@pytest.mark.parametrize(
    ("before", "after", "row"),
    [
        ("1", '"1"', ("type_changed", "number", "string", "type")),
        ("null", '"null"', ("type_changed", "null", "string", "type")),
        ("true", "1", ("type_changed", "boolean", "number", "type")),
        ('"pay"', '"p\\u200bay"', ("changed", "string", "string", "hidden")),
        ('"pay"', '"p\u0430y"', ("changed", "string", "string", "alike")),
        ('"e\\u0301"', '"\\u00e9"', ("changed", "string", "string", "form")),
        ('"a"', '"a "', ("changed", "string", "string", "space")),
        ("1", "2", ("changed", "number", "number", "")),
    ],
)
def test_a_difference_says_its_types_and_what_alone_differs(
    before: str, after: str, row: tuple[str, ...]
) -> None:
    part = showing.json_part(f'{{"before":{{"v":{before}}},"after":{{"v":{after}}}}}'.encode())
    assert part is not None
    (found,) = part.changes
    assert tuple(found[key] for key in ("kind", "old_type", "new_type", "label")) == row


@pytest.mark.parametrize(
    ("before", "after"),
    [("1", "1.0"), ('{"a":1,"b":2}', '{"b":2,"a":1}'), ("[]", "[]"), ("0", "-0.0")],
)
def test_what_is_canonically_the_same_is_no_difference(before: str, after: str) -> None:
    part = showing.json_part(f'{{"before":{before},"after":{after}}}'.encode())
    assert part is not None
    assert (part.changes, part.left_out) == ([], 0)


def test_items_in_another_order_are_said_to_be_that() -> None:
    part = showing.json_part(b'{"before":{"t":["a","b"],"u":[1]},"after":{"t":["b","a"],"u":[2]}}')
    assert part is not None
    assert [(row["path"], row["label"]) for row in part.changes] == [
        ("/t/0", "order"),
        ("/t/1", "order"),
        ("/u/0", ""),
    ]


def test_null_is_not_absent() -> None:
    part = showing.json_part(b'{"before":{},"after":{"a":null}}')
    assert part is not None
    (row,) = part.changes
    assert (row["kind"], row["old_type"], row["new"], row["new_type"]) == (
        "added",
        "",
        "null",
        "null",
    )


def test_other_json_is_shown_leaf_by_leaf_and_bad_json_not_as_json() -> None:
    whole = showing.json_part(b'{"a":1,"b":null,"c":{"d":[true,{}]}}')
    assert whole is not None
    assert not whole.compares
    assert [(row["path"], row["new"]) for row in whole.changes] == [
        ("/a", "1"),
        ("/b", "null"),
        ("/c/d/0", "true"),
        ("/c/d/1", "{}"),
    ]
    assert showing.json_part(b'{"a":1,"a":2}') is None
    assert showing.json_part(b"\xff") is None


def test_a_value_too_long_is_counted_and_can_be_had_whole() -> None:
    content = b'{"a":"' + b"x" * 5000 + b'"}'
    long = showing.json_part(content)
    assert long is not None
    assert (len(long.changes[0]["new"]), long.changes[0]["cut"]) == (3000, 2002)
    assert showing.clipped_values(content) == [1]
    assert showing.json_values(content, 1) == ("/a", "", '"' + "x" * 5000 + '"')
    assert showing.json_values(content, 2) is None


def test_every_value_is_on_exactly_one_page() -> None:
    content = ("{" + ",".join(f'"k{number:03d}":1' for number in range(300)) + "}").encode()
    pages = [
        showing.json_part(content, page=page) for page in range(1, showing.json_pages(content) + 1)
    ]
    rows = [row["path"] for page in pages if page for row in page.changes]
    assert len(pages) > 1
    assert rows == [f"/k{number:03d}" for number in range(300)]
    first = pages[0]
    assert first is not None
    assert (first.first, first.total, first.left_out) == (1, 300, 300 - first.last)


@settings(max_examples=60, deadline=None)
@given(values, values)
def test_no_difference_is_shown_if_and_only_if_the_bytes_are_equal(
    old: object, new: object
) -> None:
    part = showing.json_part(canonical.dumps({"before": old, "after": new}))
    assert part is not None
    assert (part.total == 0) == (canonical.dumps(old) == canonical.dumps(new))
