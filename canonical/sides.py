"""The rows of a hunk side by side: what was there on the left, what would be there on the right."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from canonical.unified import Row


class Pair(NamedTuple):
    """One line of both files; None where the other file has nothing to put beside it.

    A line that stays is on both sides.
    """

    old: Row | None
    new: Row | None


def pairs(rows: Iterable[Row]) -> Iterator[Pair]:
    """Put removed lines beside the added lines that follow them, first to first."""
    gone: list[Row] = []
    come: list[Row] = []
    for row in rows:
        if row.kind == "removed" and come:
            yield from _beside(gone, come)
        if row.kind == "removed":
            gone.append(row)
        elif row.kind == "added":
            come.append(row)
        elif row.kind == "note" and (come or gone):
            (come or gone).append(row)
        else:
            yield from _beside(gone, come)
            yield Pair(row, row)
    yield from _beside(gone, come)


def _beside(gone: list[Row], come: list[Row]) -> Iterator[Pair]:
    for at in range(max(len(gone), len(come))):
        yield Pair(
            gone[at] if at < len(gone) else None,
            come[at] if at < len(come) else None,
        )
    gone.clear()
    come.clear()
