"""A diff is read once, whole, and what is odd in a file is counted."""

import pytest

from canonical.errors import DiffError
from canonical.outlines import outline
from canonical.unified import FileDiff, parse_unified

FILE = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-{1}\n+{2}\n"


def test_each_file_is_read_exactly_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counting(text: str) -> list[FileDiff]:
        read.append(text)
        return parse_unified(text)

    monkeypatch.setattr("canonical.outlines.parse_unified", counting)
    diff = "".join(FILE.format(f"f{number}", "a", "b") for number in range(50))
    found = outline(diff.encode())
    assert len(found.entries) == len(read) == 50
    assert "".join(read) == diff


def test_odd_characters_are_counted_by_file() -> None:
    diff = FILE.format("plain", "a", "b") + FILE.format("odd", "a", "b\u202e\u200b g\u0456thub")
    plain, odd = outline(diff.encode()).entries
    assert (plain.hidden, plain.alike) == (0, 0)
    assert (odd.hidden, odd.alike) == (2, 1)


def test_a_file_whose_lines_all_end_with_cr_lf_says_so_once() -> None:
    crlf, mixed = FILE.format("x", "a\r", "b\r"), FILE.format("x", "a\r", "b")
    assert (outline(crlf.encode()).entries[0].crlf, outline(crlf.encode()).entries[0].hidden) == (
        True,
        0,
    )
    assert (outline(mixed.encode()).entries[0].crlf, outline(mixed.encode()).entries[0].hidden) == (
        False,
        1,
    )


def test_unusual_files_come_first() -> None:
    names = ["src/a.py", "poetry.lock", ".github/workflows/x.yml", "src/b.py"]
    found = outline("".join(FILE.format(name, "a", "b") for name in names).encode())
    assert [entry.number for entry in found.unusual_first()] == [3, 1, 4, 2]


@pytest.mark.parametrize("diff", [b"no diff\n", FILE.format("x", "a", "b").encode() + b"more\n"])
def test_what_cannot_be_read_whole_is_not_read_at_all(diff: bytes) -> None:
    with pytest.raises(DiffError):
        outline(diff)


def test_an_empty_diff_has_no_files() -> None:
    assert outline(b"").entries == ()
