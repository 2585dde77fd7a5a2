"""What a question showed, what is true now, and the difference: by field, and of the two diffs."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from approvals.drift import comparing, terms
from approvals.errors import DamagedRequestError, HashMismatchError, MovedError
from approvals.models import ApprovalRequest
from approvals.showing import changes, filepages
from approvals.showing import values as showing
from approvals.showing.changes import Diff
from approvals.showing.values import Content, JsonPart
from canonical import json as canonical
from canonical.diffs import json_changes, parse_unified
from canonical.errors import CanonicalError

# Comparing two texts line by line takes the square of their lines at worst.
MOST_LINES: Final = 1500
MOST_FILES: Final = 20
CONTEXT_LINES: Final = 2

NEVER_SHOWN: Final[dict[str, Any]] = {"rows": [], "reread": None}


@dataclass(frozen=True)
class Reread:
    """What is new in the change for somebody who read the one before.

    `files` are contexts of `components/diff_file.html`; `json` is a structured difference; `same`
    counts the files of which both diffs say the same; `left_out` the differing ones not shown here.
    """

    files: list[dict[str, Any]]
    json: JsonPart | None = None
    same: int = 0
    left_out: int = 0
    too_large: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether both diffs say the same, byte for byte."""
        return not (
            self.files or self.left_out or self.too_large or (self.json and self.json.changes)
        )


def refused(
    shown: ApprovalRequest | None, now: ApprovalRequest, error: HashMismatchError
) -> dict[str, Any]:
    """The context of the page that a refused answer gets; `shown` is what its page carried."""
    context: dict[str, Any] = {"now": now, "shown": shown, "may_ask_anew": False}
    if isinstance(error, MovedError):
        return context | {
            "rows": terms.rows(error.differences, error.files),
            "reread": None,
            "may_ask_anew": True,
        }
    if shown is None:
        return context | NEVER_SHOWN
    files = changes.moved_files(Diff.of(shown), Diff.of(now))
    return context | {"rows": terms.rows(error.differences, files), "reread": reread(shown, now)}


def since_before(asked: ApprovalRequest) -> dict[str, Any] | None:
    """What moved since the question that this one replaces; None when it is the first."""
    before = asked.replaces
    if before is None:
        return None
    try:
        moved = comparing.between(before, asked)
    except DamagedRequestError:
        return None
    files = changes.moved_files(Diff.of(before), Diff.of(asked))
    return {"before": before, "rows": terms.rows(moved, files), "reread": reread(before, asked)}


def reread(saw: ApprovalRequest, now: ApprovalRequest) -> Reread:
    """The difference of two diffs."""
    before, after = Diff.of(saw), Diff.of(now)
    names = changes.moved_files(before, after)
    if names is not None:
        return _of_files(names, before, after)
    if before.media == after.media == changes.JSON:
        found = _of_json(before.content, after.content)
        if found is not None:
            return found
    part = _compared("", before.content, after.content)
    return Reread([part] if part else [], too_large=part is None and before != after)


def _of_files(names: Sequence[str], before: Diff, after: Diff) -> Reread:
    one, other = _by_name(before), _by_name(after)
    shown = names[:MOST_FILES]
    parts = [_compared(name, one.get(name, b""), other.get(name, b"")) for name in shown]
    return Reread(
        [part for part in parts if part is not None],
        same=len(changes.same_files(before, after)),
        left_out=len(names) - len(shown) + sum(part is None for part in parts),
    )


def _of_json(saw: bytes, now: bytes) -> Reread | None:
    try:
        found = json_changes(canonical.loads(saw), canonical.loads(now))
    except CanonicalError:
        return None
    return Reread([], json=showing.json_rows(found))


def _compared(name: str, saw: bytes, now: bytes) -> dict[str, Any] | None:
    """Two texts line by line as one file of a diff; None when nothing differs, or too much to say."""
    before, after = (showing.decoded(each).split("\n") for each in (saw, now))
    if len(before) > MOST_LINES or len(after) > MOST_LINES:
        return None
    lines = list(difflib.unified_diff(before, after, "a/x", "b/x", n=CONTEXT_LINES, lineterm=""))
    if not lines:
        return None
    file = parse_unified("\n".join(lines))[0]
    return {"name": name, "file": file, "hunks": filepages.bounded(file.hunks)}


def _by_name(diff: Diff) -> dict[str, bytes]:
    content = Content.of(diff.content)
    about = diff.outline()
    return {} if about is None else filepages.by_name(about, content)
