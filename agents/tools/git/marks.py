"""The mark of an action on a remote: a tag object at a ref that can be made only once.

An attempt's mark points to the commit it pushed, a tombstone to a blob of its own. Both compete
for `refs/kedge/actions/<action_id>`; whichever comes second is refused by the remote.
"""

import re
import secrets
from dataclasses import dataclass

from agents.tools.git.errors import BadProposal, GitFailed
from agents.tools.git.scratch import Scratch
from canonical.errors import CanonicalError
from canonical.json import Json, dumps, loads
from reconciliation.tools import Call

PREFIX = "refs/kedge/actions/"

_TAGGER = "Kedge <kedge@kedge.invalid> 0 +0000"
_ACTION_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,99}")
_ATTEMPT_FIELDS = ("action_id", "attempt_id", "branch", "commit", "key")


@dataclass(frozen=True)
class Mark:
    """What stands at the place of an action. `says` is the parsed message of the tag."""

    says: dict[str, Json]

    @property
    def is_tombstone(self) -> bool:
        return self.says.get("void") is True

    def is_attempt_for(self, key: str) -> bool:
        """Whether an attempt of the effect with this key left it."""
        return self.says["key"] == key and not self.is_tombstone

    def receipt(self, remote: str) -> bytes:
        """The receipt of the attempt that holds the place, as `perform` gave it."""
        return dumps({name: self.says[name] for name in _ATTEMPT_FIELDS} | {"remote": remote})


def ref_of(action_id: str) -> str:
    """The ref that is the place of an action. Raises `BadProposal` for an id unfit for a ref."""
    if not _ACTION_ID.fullmatch(action_id):
        raise BadProposal(f"{action_id!r} cannot stand in the name of a ref")
    return PREFIX + action_id


def of_attempt(call: Call) -> Mark:
    """The mark that this attempt leaves."""
    given = call.parameters
    return Mark(
        {
            "action_id": call.action_id,
            "attempt_id": call.attempt_id,
            "branch": given["branch"],
            "commit": given["commit"],
            "key": call.key,
        }
    )


def write_attempt(repository: Scratch, call: Call) -> str:
    """Make the tag of this call and return its name.

    The name differs for every call: a push of the very same tag would find its ref "up to date"
    and move the branch again after somebody has moved it back.
    """
    name = f"kedge-{secrets.token_hex(8)}"
    return _write(repository, call.parameters["commit"], "commit", name, of_attempt(call).says)


def write_tombstone(repository: Scratch, action_id: str, key: str) -> str:
    """Make the tombstone of an action, always the same, and return its name."""
    says: dict[str, Json] = {"action_id": action_id, "key": key, "void": True}
    return _write(repository, repository.write("blob", dumps(says)), "blob", "kedge-void", says)


def parse(tag: bytes) -> Mark:
    """The mark in the bytes of a tag object. Raises `GitFailed` when it is none of ours."""
    _, _, message = tag.partition(b"\n\n")
    try:
        says = loads(message)
    except CanonicalError as error:
        raise GitFailed(f"a mark on the remote cannot be read: {error}") from error
    fields = says if isinstance(says, dict) else {}
    wanted = ("action_id", "key") if fields.get("void") is True else _ATTEMPT_FIELDS
    if not all(isinstance(fields.get(name), str) for name in wanted):
        raise GitFailed("a mark on the remote is not one of ours")
    return Mark(fields)


def parse_or_none(tag: bytes) -> Mark | None:
    """The mark in the bytes of a tag object; None when it is none of ours."""
    try:
        return parse(tag)
    except GitFailed:
        return None


def _write(repository: Scratch, target: str, kind: str, name: str, says: dict[str, Json]) -> str:
    head = f"object {target}\ntype {kind}\ntag {name}\ntagger {_TAGGER}\n\n"
    return repository.write("tag", head.encode() + dumps(says))
