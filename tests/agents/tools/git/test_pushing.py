"""A push moves the branch and takes its place, or neither; every other answer is unknown."""

from dataclasses import replace

import pytest

from agents.tools.git.errors import BadProposal, NotConfirmed
from agents.tools.git.tool import GitPush
from canonical.json import dumps
from reconciliation.tools import Call, Found, Refused
from tests.agents.tools.git.conftest import MakeCall
from tests.agents.tools.git.remote import Remote, git
from tests.contract.worlds import next_attempt


def place(call: Call) -> str:
    return f"refs/kedge/actions/{call.action_id}"


def test_the_branch_and_the_place_move_together(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    remote.configure("receive.fsckObjects", "true")
    call = propose()
    tool.perform(call)
    commit = call.parameters["commit"]
    assert remote.head() == commit
    assert git(remote.folder, "rev-parse", f"{place(call)}^{{commit}}") == commit
    git(remote.folder, "fsck", "--strict")


def test_the_mark_says_who_pushed_what(tool: GitPush, remote: Remote, propose: MakeCall) -> None:
    call = propose()
    tool.perform(call)
    says = {"action_id": call.action_id, "attempt_id": call.attempt_id, "branch": "main"}
    says |= {"commit": call.parameters["commit"], "key": call.key}
    body = git(remote.folder, "cat-file", "tag", place(call))
    assert body.endswith("\n\n" + dumps(says).decode())


def test_a_branch_that_must_not_exist_yet_is_made_once(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose(branch="side", base="")
    tool.perform(call)
    assert remote.head("side") == call.parameters["commit"]
    other = propose({"other.txt": b"x"}, branch="side", base="")
    with pytest.raises(NotConfirmed):
        tool.perform(other)
    assert remote.head("side") == call.parameters["commit"]


def test_a_moved_branch_is_unknown_and_stays_where_it_is(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    moved = remote.commit({"else.txt": b"x\n"})
    with pytest.raises(NotConfirmed, match="failed to push"):
        tool.perform(call)
    assert remote.refs() == {"refs/heads/main": moved}


def test_a_second_attempt_cannot_push_again_after_somebody_went_back(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    tool.perform(call)
    remote.reset(call.parameters["expected"])
    for again in (next_attempt(call), call):
        with pytest.raises(NotConfirmed):
            tool.perform(again)
    assert remote.head() == call.parameters["expected"]


@pytest.mark.parametrize("hook", ["pre-receive", "update"])
def test_a_hook_that_declines_refuses(
    tool: GitPush, remote: Remote, propose: MakeCall, hook: str
) -> None:
    remote.hook(hook, "echo Not on a Friday. >&2; exit 1")
    before = remote.refs()
    with pytest.raises(Refused, match="Not on a Friday"):
        tool.perform(propose())
    assert remote.refs() == before


def test_words_of_a_hook_do_not_pass_for_words_of_git(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    words = "fatal: the receiving end does not support --atomic push"
    remote.hook("pre-receive", f"echo x >> '{remote.folder}/ran'; echo '{words}'; exit 1")
    with pytest.raises(Refused):
        tool.perform(propose())
    assert (remote.folder / "ran").read_text() == "x\n"


def test_a_remote_that_dies_after_the_effect_is_unknown(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    remote.hook("post-receive", "kill -9 $PPID")
    call = propose()
    with pytest.raises(NotConfirmed):
        tool.perform(call)
    assert isinstance(tool.look_up(call), Found)


def test_no_remote_of_that_name_is_refused_unsent(tool: GitPush, propose: MakeCall) -> None:
    call = propose()
    unknown = replace(call, parameters={**call.parameters, "remote": "elsewhere"})
    with pytest.raises(Refused, match="nothing was sent"):
        tool.perform(unknown)


def test_a_gone_remote_is_unknown(tool: GitPush, propose: MakeCall) -> None:
    call = propose()
    with pytest.raises(NotConfirmed):
        tool.perform(replace(call, parameters={**call.parameters, "remote": "gone"}))


@pytest.mark.parametrize("lie", ["expected", "commit", "pack"])
def test_parameters_that_do_not_fit_the_pack_never_leave(
    tool: GitPush, remote: Remote, propose: MakeCall, lie: str
) -> None:
    call, before = propose(), remote.refs()
    pack = {**call.parameters["pack"], "$blob": "0" * 64}
    lies = {"expected": "", "commit": call.parameters["expected"], "pack": pack}
    read = call.read_blob(call.parameters["pack"])
    told = replace(call, parameters={**call.parameters, lie: lies[lie]}, read_blob=lambda _: read)
    with pytest.raises(BadProposal):
        tool.perform(told)
    assert remote.refs() == before


def test_nothing_of_the_account_reaches_git(
    tool: GitPush, remote: Remote, propose: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file:///nowhere.pushInsteadOf.{remote.folder}",
        "GIT_CONFIG_VALUE_0": str(remote.folder),
        "GIT_DIR": "/nowhere",
        "GIT_TRACE": "2",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    call = propose()
    tool.perform(call)
    monkeypatch.undo()
    assert remote.head() == call.parameters["commit"]
