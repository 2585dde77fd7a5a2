"""Performing: one push that moves the branch and takes the place of the action, or neither."""

from dataclasses import dataclass, field

from agents.tools.git import marks
from agents.tools.git.errors import BadProposal, GitFailed, NotConfirmed
from agents.tools.git.process import Ran
from agents.tools.git.scratch import WORDS_KEPT, Scratch
from canonical.digests import sha256_hex
from canonical.json import Json, dumps
from reconciliation.tools import Call, Refused, Sent

_NO_ATOMIC = "fatal: the receiving end does not support --atomic push"
_DONE = frozenset(" +*=")
_DECLINED = "hook declined)"


@dataclass(frozen=True)
class Update:
    """One line of git's answer about one ref: " +*=" say it is as we asked, "!" that it is not."""

    flag: str
    ref: str
    says: str

    @property
    def is_done(self) -> bool:
        return self.flag in _DONE


@dataclass(frozen=True)
class Push:
    """What leaves: the objects that were taken in and where they go, not what was asked for."""

    url: str
    remote: str
    branch: str
    expected: str
    commit: str
    change: dict[str, Json]
    pack: bytes = field(repr=False)

    @property
    def branch_ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def digest(self) -> str:
        """SHA-256 of the parameters as they would read for what left."""
        pack = {"$blob": sha256_hex(self.pack), "size": len(self.pack)}
        said = {
            "branch": self.branch,
            "change": self.change,
            "commit": self.commit,
            "expected": self.expected,
            "pack": pack,
            "remote": self.remote,
        }
        return sha256_hex(dumps(said))


def perform(call: Call, url: str, repository: Scratch) -> Sent:
    """Push once. Raises `Refused` when a hook of the remote declined, anything else is unknown."""
    push = take_in(call, url, repository)
    if push.expected:
        repository.end_history_at(push.expected)
    mark = marks.write_attempt(repository, call)
    action_ref = marks.ref_of(call.action_id)
    answer = _push(repository, push, mark, action_ref, ("--atomic",))
    if lacks_atomic(answer):
        # git gave up on reading what the remote can do: nothing was sent yet.
        answer = _push(repository, push, mark, action_ref, ())
    _judge(answer, push.branch_ref, action_ref)
    return Sent(marks.of_attempt(call).receipt(push.remote), push.digest())


def take_in(call: Call, url: str, repository: Scratch) -> Push:
    """Unpack the stored pack and check that it holds the commit. Raises `BadProposal`."""
    given = call.parameters
    pack = call.read_blob(given["pack"])
    if sha256_hex(pack) != given["pack"]["$blob"]:
        raise BadProposal("the stored pack is not the one that was proposed")
    try:
        repository.unpack(pack)
        parents = repository.parents(given["commit"])
    except GitFailed as error:
        raise BadProposal(f"the stored pack does not hold the proposed commit: {error}") from error
    if parents != ([given["expected"]] if given["expected"] else []):
        raise BadProposal("the proposed commit does not follow the expected one")
    return Push(
        url=url,
        remote=given["remote"],
        branch=given["branch"],
        expected=given["expected"],
        commit=given["commit"],
        change=dict(given["change"]),
        pack=pack,
    )


def updates(answer: Ran) -> dict[str, Update]:
    """git's porcelain answer, by ref of the remote."""
    found = {}
    for line in answer.out.decode("utf-8", "replace").splitlines():
        flag, _, rest = line.partition("\t")
        refs, tab, says = rest.partition("\t")
        if len(flag) == 1 and tab:
            ref = refs.rpartition(":")[2]
            found[ref] = Update(flag, ref, says)
    return found


def lacks_atomic(answer: Ran) -> bool:
    """Whether git gave up because the remote cannot move several refs as one."""
    # A whole line, and no word about any ref: what a hook prints must not pass for it.
    return _NO_ATOMIC in answer.said.splitlines() and not updates(answer)


def _push(
    repository: Scratch, push: Push, mark: str, action_ref: str, options: tuple[str, ...]
) -> Ran:
    return repository.try_git(
        "push",
        *options,
        "--porcelain",
        f"--force-with-lease={push.branch_ref}:{push.expected}",
        f"--force-with-lease={action_ref}:",
        push.url,
        f"{push.commit}:{push.branch_ref}",
        f"{mark}:{action_ref}",
    )


def _judge(answer: Ran, branch_ref: str, action_ref: str) -> None:
    said = updates(answer)
    branch, action = said.get(branch_ref), said.get(action_ref)
    if answer.code == 0 and branch and action and branch.is_done and action.is_done:
        return
    words = answer.said.strip()[-WORDS_KEPT:]
    # Only a hook says no to what we sent. All else ("stale info", "reference already exists") may
    # be the trace of an earlier attempt that arrived.
    declined = any(update.says.endswith(_DECLINED) for update in said.values())
    if declined and branch and not branch.is_done:
        raise Refused(f"the remote declined the push: {words}")
    raise NotConfirmed(f"the remote did not confirm the push: {words}")
