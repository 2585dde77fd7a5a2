"""A difference is shown if and only if the bytes differ: asked anew of every change that is shown.

A page that shows nothing where something changes hides it; one that shows a change where nothing
does teaches people not to look.
"""

from typing import Final, Literal

from canonical.diffs import json_changes
from canonical.json import Json, dumps
from canonical.unified import FileDiff, Hunk

# "silent": the bytes differ and nothing is shown; "idle": a change is shown and the bytes are equal.
Contradiction = Literal["silent", "idle"]

EMPTY_BLOB: Final = "e69de29"
NO_BLOB: Final = "0"


def of_values(old: Json, new: Json) -> Contradiction | None:
    """How the differences between two JSON values are at odds with their canonical bytes."""
    return _odds(shown=bool(json_changes(old, new)), differ=dumps(old) != dumps(new))


def of_file(file: FileDiff) -> Contradiction | None:
    """How what a diff shows of one file is at odds with the names git gives its contents."""
    if file.binary:
        return None
    if any(_is_idle(hunk) for hunk in file.hunks):
        return "idle"
    old, new = file.blobs
    if old and new:
        return _odds(shown=bool(file.hunks), differ=not _same(old, new))
    says_nothing = not file.hunks and not file.mode_changed and file.status == "changed"
    return "idle" if says_nothing else None


def _odds(*, shown: bool, differ: bool) -> Contradiction | None:
    if shown == differ:
        return None
    return "silent" if differ else "idle"


def _is_idle(hunk: Hunk) -> bool:
    return _side(hunk, "removed") == _side(hunk, "added")


def _side(hunk: Hunk, kind: str) -> list[tuple[str, bool]]:
    """The lines of one side, and whether each ends with a line feed."""
    found: list[tuple[str, bool]] = []
    is_ours = False
    for row in hunk.rows:
        if row.kind == "note":
            if is_ours:
                found[-1] = (found[-1][0], False)
            continue
        is_ours = row.kind in ("context", kind)
        if is_ours:
            found.append((row.text, True))
    return found


def _same(old: str, new: str) -> bool:
    """Whether both are one content. No file and an empty file show the same lines: none."""
    old, new = (EMPTY_BLOB if not name.strip(NO_BLOB) else name for name in (old, new))
    short = min(len(old), len(new))
    return old[:short] == new[:short]
