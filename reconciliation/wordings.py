"""Whether two effects differ in words for people alone: the same thing is done, and said otherwise. Pure."""

from typing import Any

from canonical.diffs import json_changes
from reconciliation.tools import Wording

Json = Any


def differing(theirs: Json, mine: Json) -> tuple[str, ...]:
    """Which parameters differ, as JSON pointers."""
    return tuple(change.path for change in json_changes(theirs, mine))


def only_words(where: tuple[str, ...], wording: Wording, *, diffs: tuple[str, str]) -> bool:
    """Whether all that differs is words. `diffs` are the digests of both dry runs, "" of none.

    Where the diff leaves the words out, both must have been seen to change the same.
    """
    if not all(any(_lies_below(path, words) for words in wording.parameters) for path in where):
        return False
    mine, theirs = diffs
    return not wording.diff_is_bare or (bool(mine) and mine == theirs)


def _lies_below(path: str, words: str) -> bool:
    """Whether a path is that of the words, or lies below it."""
    steps, wanted = path.split("/"), words.split("/")
    return len(steps) >= len(wanted) and all(
        want in ("*", step) for want, step in zip(wanted, steps, strict=False)
    )
