"""Finding out what became of an action, and making *did not happen* true.

Asked is the side that takes pushes: what only reads may lag behind it or hide refs.
"""

from agents.tools.git import marks
from agents.tools.git.marks import Mark
from agents.tools.git.process import Ran
from agents.tools.git.pushing import lacks_atomic, updates
from agents.tools.git.scratch import WORDS_KEPT, Scratch
from canonical.json import dumps
from reconciliation.tools import Absent, Call, Found, Unanswered, Voided

# What git calls a place that somebody holds, when it has not even tried to take it.
_TAKEN = "[rejected] (stale info)"
_COMMITS_ONLY = "--filter=tree:0"
_SEEN = "refs/seen/"


def look_up(call: Call, url: str, repository: Scratch) -> Found | Absent:
    """Whether the push of this action arrived. Raises `Unanswered`, `GitFailed`, `TimeoutError`."""
    answer = _claim(repository, url, (call.action_id, call.key), "--dry-run")
    if lacks_atomic(answer):
        return _look_up_both(call, url, repository)
    place = updates(answer).get(marks.ref_of(call.action_id))
    if place is None or not (place.is_done or place.says == _TAKEN):
        raise _unanswered(answer)
    if place.is_done:
        # A remote can hide the place and still move the branch, so the commit is looked for too.
        if _arrived(call, url, repository):
            return Found(_own_receipt(call))
        return Absent(voided=place.flag == "=")
    mark, count = _marks(call, url, repository)
    if mark is None:
        raise Unanswered("the place of this action is taken, but the remote does not show by what")
    return Absent(voided=True) if mark.is_tombstone else Found(_receipt(mark, call), count)


def void(call: Call, url: str, repository: Scratch) -> Voided | Found:
    """Take the place of this action, unless an attempt holds it. Raises as `look_up`."""
    answer = _claim(repository, url, (call.action_id, call.key))
    place = updates(answer).get(marks.ref_of(call.action_id))
    if answer.code == 0 and place is not None and place.is_done:
        return Voided(_evidence(call))
    if place is None:
        raise _unanswered(answer)
    mark, count = _marks(call, url, repository)
    if mark is None:
        raise _unanswered(answer)
    return Voided(_evidence(call)) if mark.is_tombstone else Found(_receipt(mark, call), count)


def takes_both_or_neither(url: str, repository: Scratch) -> bool:
    """Whether the remote moves several refs as one. Raises as `look_up`."""
    answer = _claim(repository, url, ("probe", ""), "--dry-run")
    if lacks_atomic(answer):
        return False
    if not updates(answer):
        raise _unanswered(answer)
    return True


def _claim(repository: Scratch, url: str, action: tuple[str, str], *options: str) -> Ran:
    """Push the tombstone of an action, given by id and key, to its place."""
    ref = marks.ref_of(action[0])
    tombstone = marks.write_tombstone(repository, *action)
    lease = f"--force-with-lease={ref}:"
    return repository.try_git(
        "push", "--atomic", "--porcelain", *options, lease, url, f"{tombstone}:{ref}"
    )


def _look_up_both(call: Call, url: str, repository: Scratch) -> Found | Absent:
    """For a remote that may move one ref without the other: only the branch tells."""
    mark, count = _marks(call, url, repository)
    has_attempt = mark is not None and not mark.is_tombstone
    if _arrived(call, url, repository):
        receipt = _receipt(mark, call) if mark and has_attempt else _own_receipt(call)
        return Found(receipt, max(count, 1))
    if has_attempt:
        raise Unanswered("the attempt left its mark, but its commit is not on the branch")
    return Absent(voided=False)


def _marks(call: Call, url: str, repository: Scratch) -> tuple[Mark | None, int]:
    """The mark at the place of this action, and how many attempts with its key left one."""
    # git fails to fetch "all of none", so it is asked first whether there is any.
    if marks.ref_of(call.action_id) not in repository.listed(url, f"{marks.PREFIX}*"):
        return None, 0
    everything = f"+{marks.PREFIX}*:{_SEEN}*"
    repository.fetch(url, everything, options=("--depth=1", _COMMITS_ONLY))
    places = repository.refs(_SEEN)
    tags = repository.read_all("tag", sorted(set(places.values())))
    # What others put under our prefix and we cannot read is not ours to judge; our own place is.
    found = [marks.parse_or_none(tags[place]) for place in places.values() if place in tags]
    count = sum(1 for mark in found if mark and mark.is_attempt_for(call.key))
    own = marks.parse(tags.get(places.get(call.action_id, ""), b""))
    if own.says["action_id"] != call.action_id or own.says["key"] != call.key:
        raise Unanswered("the place of this action is taken by something that is not ours")
    return own, count


def _arrived(call: Call, url: str, repository: Scratch) -> bool:
    """Whether the branch holds the commit. Reads its history only when the head leaves a doubt."""
    given = call.parameters
    branch_ref = f"refs/heads/{given['branch']}"
    head = repository.listed(url, branch_ref).get(branch_ref, "")
    if head in {given["commit"], given["expected"]}:
        return bool(head == given["commit"])
    if not repository.fetch(url, f"+{branch_ref}:refs/branch", options=(_COMMITS_ONLY,)):
        return False
    history = repository.git("rev-list", "refs/branch").decode().split()
    return given["commit"] in history


def _receipt(mark: Mark, call: Call) -> bytes:
    if mark.says["commit"] != call.parameters["commit"]:
        raise Unanswered("the mark at the place of this action names another commit")
    return mark.receipt(call.parameters["remote"])


def _own_receipt(call: Call) -> bytes:
    return marks.of_attempt(call).receipt(call.parameters["remote"])


def _evidence(call: Call) -> bytes:
    ref = marks.ref_of(call.action_id)
    remote = call.parameters["remote"]
    return dumps({"action_id": call.action_id, "key": call.key, "ref": ref, "remote": remote})


def _unanswered(answer: Ran) -> Unanswered:
    return Unanswered(f"the remote did not answer: {answer.said.strip()[-WORDS_KEPT:]}")
