"""Diffs read back: those of a real git, and texts that only look like one."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical.errors import DiffError
from canonical.unified import FileDiff, Row, parse_unified

ONE = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"


def only(diff: str) -> FileDiff:
    (file,) = parse_unified(diff)
    return file


def test_rows_are_numbered_in_both_files() -> None:
    file = only(ONE + "@@ -3,3 +3,3 @@ def f():\n a\n-b\n+c\n d\n")
    (hunk,) = file.hunks
    assert (hunk.old_start, hunk.new_start, hunk.section) == (3, 3, "def f():")
    assert hunk.rows == (
        Row("context", 3, 3, "a"),
        Row("removed", 4, None, "b"),
        Row("added", None, 4, "c"),
        Row("context", 5, 5, "d"),
    )
    assert (file.added, file.removed, file.status, file.mode_changed) == (1, 1, "changed", False)


def test_a_missing_line_feed_is_a_note_on_its_side() -> None:
    note = "\\ No newline at end of file\n"
    file = only(ONE + f"@@ -1 +1 @@\n-b\n{note}+b\n{note}")
    assert [row.kind for row in file.hunks[0].rows] == ["removed", "note", "added", "note"]
    assert (file.added, file.removed) == (1, 1)


def test_lines_that_look_like_heads_stay_lines() -> None:
    body = (
        "@@ -1,3 +1,3 @@\n--- a/y\n-diff --git a/y b/y\n-@@ -1 +1 @@\n+++ b/y\n+\n+\\ No newline\n"
    )
    file = only(ONE + body)
    assert [row.text for row in file.hunks[0].rows] == [
        "-- a/y",
        "diff --git a/y b/y",
        "@@ -1 +1 @@",
        "++ b/y",
        "",
        "\\ No newline",
    ]


def test_odd_line_ends_stay_in_their_row() -> None:
    odd = "a\rb\x0c\x85\u2028c\r"
    file = only(ONE + f"@@ -0,0 +1 @@\n+{odd}\n")
    assert file.hunks[0].rows == (Row("added", None, 1, odd),)


def test_a_diff_with_crlf_ends_is_read() -> None:
    diff = ONE + "@@ -1 +1 @@ f\n-b\n+c\n"
    file = only(diff.replace("\n", "\r\n"))
    assert (file.name, file.hunks[0].section) == ("x", "f")


def test_a_stripped_blank_line_is_context() -> None:
    assert only(ONE + "@@ -1,2 +1,3 @@\n\n+a\n b\n").hunks[0].rows[0] == Row("context", 1, 1, "")


def test_an_empty_diff_has_no_files() -> None:
    assert parse_unified("") == []


def test_a_bare_diff_is_read() -> None:
    file = only("--- a/x\t2026-01-01\n+++ b/x\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n")
    assert (file.name, file.status) == ("x", "changed")


@pytest.mark.parametrize(
    ("diff", "line", "words"),
    [
        ("hello\n", 1, "belongs to no file"),
        ("commit 1\n\n" + ONE, 1, "belongs to no file"),
        ("diff --cc x\n", 1, "belongs to no file"),
        (ONE + "@@ -1 +1 @@\n-a\n+b\n+c\n", 8, "belongs to no file"),
        (ONE + "@@ -1,2 +1 @@\n-a\n+b\n", 7, "announces more"),
        (ONE + "@@ -1 +1,2 @@\n-a\n-b\n", 7, "more than its hunk"),
        (ONE + "@@ -1 +1 @@\n-a\n*b\n", 7, "no line of a hunk"),
        (ONE + "@@ -x +1 @@\n", 5, "head of a hunk"),
        (ONE + "@@ -\uff11 +1 @@\n", 5, "head of a hunk"),
        ("--- a/x\n", 1, "name the new file"),
        ("--- x\n+++ x\n", 1, "prefix"),
        ("diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", 3, "without a name"),
        ("diff --git a/x b/x\nsurprise\n", 2, "belongs to no file"),
        ('diff --git "a/\\q" "b/\\q"\n', 1, "unknown escape"),
        ("diff --git a/x b/x\nGIT binary patch\nliteral 3\nno base 85\n", 4, "belongs to no file"),
        ("--- /dev/null\n+++ /dev/null\n", 2, "without a name"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(diff: str, line: int, words: str) -> None:
    with pytest.raises(DiffError, match=words) as caught:
        parse_unified(diff)
    assert caught.value.line == line


lines = st.lists(st.text(st.sampled_from("ab -+@\\\r\t\u2028é"), max_size=4), max_size=8)


@given(lines, lines, st.integers(0, 20))
def test_rows_rebuild_both_files(old: list[str], new: list[str], context: int) -> None:
    diff = list(difflib.unified_diff(old, new, "a/x", "b/x", lineterm="", n=context))
    files = parse_unified("\n".join(diff) + "\n" if diff else "")
    rows = [row for file in files for hunk in file.hunks for row in hunk.rows]
    assert all(old[row.old_no - 1] == row.text for row in rows if row.old_no)
    assert all(new[row.new_no - 1] == row.text for row in rows if row.new_no)
    kept = len(old) - sum(file.removed for file in files)
    assert kept == len(new) - sum(file.added for file in files)
    assert (files == []) == (old == new)


@given(st.text(st.sampled_from('\n\r -+@,0123"\\ab/'), max_size=80))
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    for start in ("", ONE, ONE + "@@ -1,2 +1,2 @@\n", "diff --git ", "diff --git a/x b/x\n"):
        try:
            files = parse_unified(start + text)
        except DiffError:
            continue
        assert all(file.name for file in files)


def test_ten_megabytes_are_read() -> None:
    count = 200_000
    diff = ONE + f"@@ -0,0 +1,{count} @@\n" + ("+" + "x" * 49 + "\n") * count
    assert only(diff).added == count
    assert only(ONE + "@@ -0,0 +1 @@\n+" + "x" * 10_000_000).added == 1
