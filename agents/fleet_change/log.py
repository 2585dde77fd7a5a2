"""The chain `log`: what the run read, then one line for each file, as a conversation grows."""

from collections.abc import Sequence
from typing import Any

Json = Any

CHAIN = "log"


def reading(sha: str, files: int) -> dict[str, Json]:
    """The line that begins the work on a commit."""
    return {"read": sha, "files": files}


def last_reading(lines: Sequence[Json]) -> dict[str, Json] | None:
    """The commit that is being worked on; None before the first was read."""
    return next((line for line in reversed(lines) if "read" in line), None)


def changed_files(lines: Sequence[Json]) -> list[dict[str, Json]]:
    """The lines of the files that changed, of the latest reading alone, by path.

    Each has `path`, `blob` (the SHA of the old bytes), `content` (a reference to the new ones),
    `insertions` and `deletions`.
    """
    changed: list[dict[str, Json]] = []
    for line in lines:
        if "read" in line:
            changed = []
        elif "content" in line:
            changed.append(line)
    return changed
