"""What a page shows of a change: all of it, in parts, and every part says how much it is of what."""

import time
from itertools import pairwise

import pytest

from approvals import showing
from approvals.showing import Content
from tests.approvals.asking import MAIL, git_diff


def outlined(diff: bytes) -> showing.Outline:
    found = showing.outline(Content.of(diff))
    assert found is not None
    return found


def test_an_outline_names_every_file_once_unusual_ones_first() -> None:
    about = outlined(git_diff(5))
    assert (
        next(file.name for _number, file, _kind in about.files) == ".github/workflows/release.yml"
    )
    assert sorted(number for number, _file, _kind in about.files) == [1, 2, 3, 4, 5]
    assert [str(each.file_class) for each in about.summaries] == ["ci", "source"]


def test_the_files_together_are_the_whole_diff() -> None:
    diff = git_diff(7)
    about = outlined(diff)
    chunks = [diff[start:end] for start, end in about.chunks]
    assert b"".join(chunks) == diff


def test_a_line_that_looks_like_a_header_does_not_start_a_file() -> None:
    diff = (
        b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n"
        b"-diff --git a/y b/y\n+diff --git a/z b/z\n \n"
    )
    assert [file.name for _number, file, _kind in outlined(diff).files] == ["x"]


@pytest.mark.parametrize("diff", [b"no diff at all\n", git_diff(2) + b"trailing\n", MAIL])
def test_what_cannot_be_read_whole_is_not_read_at_all(diff: bytes) -> None:
    assert showing.outline(Content.of(diff)) is None


def test_an_empty_diff_has_no_files() -> None:
    assert outlined(b"").files == ()


def test_every_file_is_on_exactly_one_page() -> None:
    diff = git_diff(showing.FILES_A_PAGE * 2 + 3)
    about = outlined(diff)
    seen = [
        part.number
        for page in (1, 2, 3)
        for part in showing.files_page(Content.of(diff), about, page)
    ]
    assert sorted(seen) == list(range(1, showing.FILES_A_PAGE * 2 + 4))


def test_files_are_open_only_as_far_as_lines_fit() -> None:
    diff = git_diff(6, lines=30)
    parts = showing.files_page(Content.of(diff), outlined(diff), 1)
    assert [part.is_open for part in parts] == [True, True, True, False, False, False]
    assert all(part.hunks for part in parts if part.is_open)


def test_lines_of_a_long_file_come_in_pages_that_say_what_is_left() -> None:
    diff = git_diff(1, lines=1200)
    about, content = outlined(diff), Content.of(diff)
    first = showing.file_part(content, about, 1)
    assert (len(first.hunks[0].rows), first.left_out, first.rest_from) == (1000, 1400, 1000)
    last = showing.file_part(content, about, 1, 2000)
    assert (len(last.hunks[0].rows), last.left_out, last.rest_from) == (400, 2000, 0)
    rows = [
        row
        for start in (0, 1000, 2000)
        for hunk in showing.file_part(content, about, 1, start).hunks
        for row in hunk.rows
    ]
    assert len(rows) == 2400
    assert len({(row.kind, row.text) for row in rows}) == 2400


def test_there_is_no_file_before_the_first() -> None:
    diff = git_diff(1)
    for number in (0, -1, 2):
        with pytest.raises(IndexError):
            showing.file_part(Content.of(diff), outlined(diff), number)


def test_a_line_too_long_says_how_much_of_it_is_missing() -> None:
    diff = git_diff(1).replace(b"new_1 = ", b"new_1 = " + b"x" * 9000)
    rows = showing.file_part(Content.of(diff), outlined(diff), 1).hunks[0].rows
    cut = next(number for number, row in enumerate(rows) if row.kind == "note")
    assert len(rows[cut - 1].text) == showing.LONGEST_LINE
    assert rows[cut].text.startswith("5,012 more characters of this line")


def test_only_files_that_differ_between_two_diffs_are_named() -> None:
    before, after = git_diff(4), git_diff(4).replace(b"new_0 = f'y'", b"new_0 = f'z'", 1)
    named = showing.differing_files(
        outlined(before), Content.of(before), outlined(after), Content.of(after)
    )
    assert named == [".github/workflows/release.yml"]


def test_a_text_is_shown_whole_or_in_parts_that_meet() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000)).encode()
    first = showing.text_part(text)
    parts = [showing.text_part(text, number) for number in range(1, first.parts + 1)]
    assert first.parts > 1
    assert "".join(part.text for part in parts).encode() == text
    assert parts[-1].last == parts[0].total == len(text)
    assert [(b.first, a.last + 1) for a, b in pairwise(parts)] == [
        (part.first, part.first) for part in parts[1:]
    ]


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
    assert [(row["path"], row["kind"], row["old"], row["new"]) for row in part.changes] == [
        ("/limit", "changed", "100", "82000"),
        ("/x", "added", "", "[1]"),
    ]
    assert part.changes[0]["by"] == "bank"


def test_other_json_is_shown_whole_and_bad_json_not_as_json() -> None:
    whole = showing.json_part(b'{"a":1,"b":null}')
    assert whole is not None
    assert [row["path"] for row in whole.changes] == ["/a", "/b"]
    assert showing.json_part(b'{"a":1,"a":2}') is None
    assert showing.json_part(b"\xff") is None


def test_a_value_too_long_and_too_many_values_are_counted() -> None:
    long = showing.json_part(b'{"a":"' + b"x" * 5000 + b'"}')
    assert long is not None
    assert long.changes[0]["new"].endswith("… (1,002 more characters)")
    many = showing.json_part(
        ("{" + ",".join(f'"k{number:03d}":1' for number in range(300)) + "}").encode()
    )
    assert many is not None
    assert (len(many.changes), many.left_out) == (200, 100)


def test_ten_megabytes_in_five_thousand_files_are_bounded() -> None:
    diff = git_diff(5000, lines=65)
    assert len(diff) > 9_000_000
    began = time.monotonic()
    about = outlined(diff)
    parts = showing.files_page(Content.of(diff), about, 1)
    assert time.monotonic() - began < 20
    assert len(about.files) == 5000
    assert sum(part.rows for part in parts) <= showing.ROWS_OPEN
