"""What a push is asked with and what it answers, as JSON Schemas."""

from collections.abc import Mapping
from typing import Any

# The end of the whole text; "$" would let a line break pass.
_END = r"(?![\s\S])"

SHA = {"type": "string", "pattern": f"^[0-9a-f]{{40}}{_END}"}
OLD_SHA = {"type": "string", "pattern": f"^([0-9a-f]{{40}})?{_END}"}
DIGEST = {"type": "string", "pattern": f"^[0-9a-f]{{64}}{_END}"}
COUNT = {"type": "integer", "minimum": 0}
# The part of git's rules for ref names that can be said in one line; the remote knows the rest.
BRANCH = {
    "type": "string",
    "maxLength": 200,
    "pattern": rf"^(?!.*(\.\.|//|/\.|\.lock(/|$)|[./]$))[A-Za-z0-9][A-Za-z0-9._/-]*{_END}",
}
REMOTE = {"type": "string", "maxLength": 100, "pattern": f"^[A-Za-z0-9][A-Za-z0-9._-]*{_END}"}


def _record(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": sorted(properties),
        "additionalProperties": False,
    }


PARAMETERS = _record(
    {
        "remote": REMOTE,
        "branch": BRANCH,
        "expected": OLD_SHA,  # "" asks for a branch that does not exist yet
        "commit": SHA,
        "change": _record({"files": COUNT, "lines": COUNT, "deletions": COUNT}),
        "pack": _record({"$blob": DIGEST, "size": COUNT}),
    }
)
RECEIPT = _record(
    {
        "action_id": {"type": "string"},
        "attempt_id": {"type": "string"},
        "key": {"type": "string"},
        "commit": SHA,
        "branch": BRANCH,
        "remote": REMOTE,
    }
)
