"""Which files of a change a page shows, which of them open, and what it says of one."""

import pytest

from approvals.showing import filepages
from approvals.showing.values import Content
from canonical.outlines import Outline
from tests.approvals.asking import MAIL, git_diff


def outlined(diff: bytes) -> Outline:
    found = filepages.outline(Content.of(diff))
    assert found is not None
    return found


def test_an_outline_names_every_file_once_unusual_ones_first() -> None:
    entries = outlined(git_diff(5)).unusual_first()
    assert entries[0].file.name == ".github/workflows/release.yml"
    assert sorted(entry.number for entry in entries) == [1, 2, 3, 4, 5]


def test_a_line_that_looks_like_a_header_does_not_start_a_file() -> None:
    diff = (
        b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n"
        b"-diff --git a/y b/y\n+diff --git a/z b/z\n \n"
    )
    assert [entry.file.name for entry in outlined(diff).entries] == ["x"]


@pytest.mark.parametrize("diff", [b"no diff at all\n", git_diff(2) + b"trailing\n", MAIL])
def test_what_cannot_be_read_whole_is_not_read_at_all(diff: bytes) -> None:
    assert filepages.outline(Content.of(diff)) is None


def test_every_file_is_on_exactly_one_page() -> None:
    count = filepages.FILES_A_PAGE * 2 + 3
    diff = git_diff(count)
    entries = outlined(diff).unusual_first()
    seen = [
        part.entry.number
        for page in (1, 2, 3)
        for part in filepages.files_page(Content.of(diff), entries, page)
    ]
    assert sorted(seen) == list(range(1, count + 1))


def test_files_are_open_only_as_far_as_they_fit_and_then_whole() -> None:
    diff = git_diff(8, lines=15)
    parts = filepages.files_page(Content.of(diff), outlined(diff).unusual_first(), 1)
    opened = [part.is_open for part in parts]
    assert opened == [True] * 3 + [False] * 5
    assert all(part.left_out == 0 and part.hunks for part in parts if part.is_open)


def test_a_page_shows_something_even_of_files_too_large_for_it() -> None:
    diff = git_diff(2, lines=900)
    parts = filepages.files_page(Content.of(diff), outlined(diff).unusual_first(), 1)
    assert [part.is_open for part in parts] == [True, False]
    shown = sum(len(hunk.rows) for hunk in parts[0].hunks)
    assert parts[0].left_out == 1800 - shown > 0


def test_there_is_no_window_before_the_first_or_after_the_last() -> None:
    diff = git_diff(1)
    entry = outlined(diff).entries[0]
    for window in (0, -1, 2):
        with pytest.raises(IndexError):
            filepages.file_part(Content.of(diff), entry, window)


def test_a_line_that_only_looks_the_same_says_in_what_it_differs() -> None:
    diff = git_diff(1, lines=1).replace(b"+new_0 = f'y'", "+old_0\u200b = 'x'".encode())
    rows = filepages.file_part(Content.of(diff), outlined(diff).entries[0], 1).hunks[0].rows
    assert [row.label for row in rows] == ["", "hidden"]


def test_the_cr_of_a_file_that_has_it_on_every_line_is_not_marked_on_each() -> None:
    diff = git_diff(1).replace(b"'\n", b"'\r\n")
    part = filepages.file_part(Content.of(diff), outlined(diff).entries[0], 1)
    assert part.entry.crlf
    assert not any("\r" in row.text for row in part.hunks[0].rows)


def test_only_files_that_differ_between_two_diffs_are_named() -> None:
    before, after = git_diff(4), git_diff(4).replace(b"new_0 = f'y'", b"new_0 = f'z'", 1)
    named = filepages.differing_files(
        outlined(before), Content.of(before), outlined(after), Content.of(after)
    )
    assert named == [".github/workflows/release.yml"]
