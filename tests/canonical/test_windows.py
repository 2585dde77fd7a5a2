"""A file in windows is the file: every byte and every line in exactly one, none too heavy for a page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canonical.digests import sha256_hex
from canonical.display import weight
from canonical.errors import DiffError
from canonical.outlines import Entry, outline
from canonical.unified import Row, parse_unified
from canonical.windows import WINDOW_BYTES, decoded, encoded, read

HEAD = "diff --git a/x b/x\nindex 3f1c2aa..9b0d1e2 100644\n--- a/x\n+++ b/x\n"


def file_of(texts: list[str], hunks: int = 1) -> bytes:
    added = "".join(f"+{text}\n" for text in texts)
    each = "@@ -1,1 +1,{n} @@ def main():\n-gone\n{rows}"
    return encoded(HEAD + each.format(n=len(texts), rows=added) * hunks)


def entry_of(diff: bytes) -> Entry:
    return outline(diff).entries[0]


def all_rows(diff: bytes) -> list[Row]:
    return [row for hunk in parse_unified(decoded(diff))[0].hunks for row in hunk.rows]


def windows_rows(diff: bytes) -> list[Row]:
    """The rows of all windows, with a line in pieces put together again."""
    found: list[Row] = []
    for window in entry_of(diff).windows:
        for hunk in read(window, diff[window.from_byte : window.to_byte]):
            if window.piece and window.piece.first > 1:
                found[-1] = found[-1]._replace(text=found[-1].text + hunk.rows[0].text)
            else:
                found += hunk.rows
    return found


texts = st.lists(
    st.one_of(
        st.text(st.sampled_from("ab<&\t \u00e9\u202e\u0456\udcff"), max_size=30),
        st.builds(
            lambda text, times: text * times,
            st.sampled_from(["x", "\u202e", "é<"]),
            st.integers(0, 30_000),
        ),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(1, 3))
def test_the_windows_of_a_file_are_the_file(lines: list[str], hunks: int) -> None:
    diff = file_of(lines, hunks)
    entry = entry_of(diff)
    spans = [(window.from_byte, window.to_byte) for window in entry.windows]
    assert b"".join(diff[start:end] for start, end in spans) == diff
    assert windows_rows(diff) == all_rows(diff)
    assert sum(window.rows for window in entry.windows) == entry.rows == len(all_rows(diff))


@settings(max_examples=30, deadline=None)
@given(texts)
def test_no_window_is_too_heavy_for_a_page(lines: list[str]) -> None:
    diff = file_of(lines)
    for window in entry_of(diff).windows:
        hunks = read(window, diff[window.from_byte : window.to_byte])
        assert sum(weight(row.text) for hunk in hunks for row in hunk.rows) <= WINDOW_BYTES


def test_a_window_is_read_from_its_own_bytes_only() -> None:
    diff = file_of(["one", "two"])
    window = entry_of(diff).windows[0]
    assert window.digest == sha256_hex(diff)
    with pytest.raises(DiffError):
        read(window, diff.replace(b"one", b"two"))


def test_a_file_of_many_windows_is_read_by_one_of_them() -> None:
    diff = file_of([f"line {number}" for number in range(5_000)])
    windows = entry_of(diff).windows
    assert len(windows) > 10
    last = windows[-1]
    rows = read(last, diff[last.from_byte : last.to_byte])[0].rows
    assert rows[-1] == Row("added", None, 5_000, "line 4999")


def test_binary_and_mode_changes_are_one_window_without_lines() -> None:
    for body in ("old mode 100644\nnew mode 100755\n", "Binary files a/x and b/x differ\n"):
        diff = f"diff --git a/x b/x\n{body}".encode()
        (window,) = entry_of(diff).windows
        assert (window.from_byte, window.to_byte, window.rows) == (0, len(diff), 0)
        assert read(window, diff) == ()
