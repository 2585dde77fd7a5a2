"""What became of a push is read where pushes go, and what is not certain is not answered."""

from dataclasses import replace

import pytest

from agents.tools.git.errors import NotConfirmed
from agents.tools.git.tool import GitPush
from canonical.json import loads
from reconciliation.tools import Absent, Capabilities, Found, Unanswered, Voided
from tests.agents.tools.git.conftest import MakeCall
from tests.agents.tools.git.remote import Remote, git
from tests.contract.worlds import next_attempt


def test_a_push_is_found_after_others_went_on_or_back(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    sent = tool.perform(call)
    remote.commit({"else.txt": b"x\n"})
    assert tool.look_up(call) == Found(sent.receipt)
    remote.reset(call.parameters["expected"])
    assert tool.look_up(call) == Found(sent.receipt)


def test_it_counts_every_attempt_with_the_same_key(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    first = propose()
    sent = tool.perform(first)
    twin = replace(propose({"src/rope.py": b"LENGTH = 1\n"}), key=first.key)
    tool.perform(twin)
    tool.void(replace(propose({"README.md": b"x\n"}), key=first.key))
    assert tool.look_up(first) == Found(sent.receipt, 2)


def test_a_strange_object_at_another_place_does_not_disturb(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    sent = tool.perform(call)
    git(remote.folder, "update-ref", "refs/kedge/actions/strange", remote.head())
    assert tool.look_up(call) == Found(sent.receipt)


def test_a_strange_object_at_our_place_is_not_answered(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    git(remote.folder, "update-ref", f"refs/kedge/actions/{call.action_id}", remote.head())
    for ask in (tool.look_up, tool.void):
        with pytest.raises(Unanswered):
            ask(call)


def test_a_mark_that_names_another_effect_is_not_answered(tool: GitPush, propose: MakeCall) -> None:
    call = propose()
    tool.perform(call)
    with pytest.raises(Unanswered):
        tool.look_up(replace(call, key="0" * 64))


def test_a_place_hidden_from_readers_is_not_taken_for_absent(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    tool.perform(call)
    remote.configure("uploadpack.hideRefs", "refs/kedge")
    with pytest.raises(Unanswered):
        tool.look_up(call)


@pytest.mark.parametrize("later", [False, True])
def test_a_remote_that_hides_the_place_and_moves_the_branch_is_found_out(
    tool: GitPush, remote: Remote, propose: MakeCall, *, later: bool
) -> None:
    remote.configure("receive.hideRefs", "refs/kedge")
    call = propose()
    with pytest.raises(NotConfirmed):
        tool.perform(call)
    assert remote.head() == call.parameters["commit"]
    if later:
        remote.commit({"else.txt": b"x\n"})
    found = tool.look_up(call)
    assert isinstance(found, Found)
    assert loads(found.receipt) == {
        "action_id": call.action_id,
        "attempt_id": call.attempt_id,
        "key": call.key,
        "commit": call.parameters["commit"],
        "branch": "main",
        "remote": "ship",
    }
    with pytest.raises(Unanswered):
        tool.void(call)


def test_a_gone_remote_does_not_answer(tool: GitPush, propose: MakeCall) -> None:
    call = propose()
    gone = replace(call, parameters={**call.parameters, "remote": "gone"})
    for ask in (tool.look_up, tool.void, tool.dry_run):
        with pytest.raises(Unanswered):
            ask(gone)
    with pytest.raises(Unanswered):
        tool.capabilities_for(gone.tenant, gone.parameters)


def test_another_tenants_remote_is_not_known(tool: GitPush, propose: MakeCall) -> None:
    with pytest.raises(Unanswered, match="no remote"):
        tool.look_up(replace(propose(), tenant="globex"))


def test_a_void_that_a_hook_declines_is_not_answered(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    remote.hook("pre-receive", "exit 1")
    with pytest.raises(Unanswered):
        tool.void(propose())


class TestRemoteWithoutAtomic:
    """It may move one of two refs, so only the branch tells, and nothing can be voided."""

    @pytest.fixture(autouse=True)
    def plain(self, remote: Remote) -> None:
        remote.configure("receive.advertiseAtomic", "false")

    def test_it_falls_to_look_up_only(self, tool: GitPush, propose: MakeCall) -> None:
        call = propose()
        here = tool.capabilities_for(call.tenant, call.parameters)
        assert here == Capabilities(look_up=True)
        assert tool.capabilities.void

    def test_a_push_arrives_once_and_is_found(
        self, tool: GitPush, remote: Remote, propose: MakeCall
    ) -> None:
        call = propose()
        assert tool.look_up(call) == Absent()
        sent = tool.perform(call)
        remote.commit({"else.txt": b"x\n"})
        assert tool.look_up(next_attempt(call)) == Found(sent.receipt)
        with pytest.raises(NotConfirmed):
            tool.perform(next_attempt(call))

    def test_a_mark_without_the_commit_is_not_answered(
        self, tool: GitPush, remote: Remote, propose: MakeCall
    ) -> None:
        call = propose()
        tool.perform(call)
        remote.reset(call.parameters["expected"])
        with pytest.raises(Unanswered):
            tool.look_up(call)

    def test_a_commit_without_the_mark_is_found(
        self, tool: GitPush, remote: Remote, propose: MakeCall
    ) -> None:
        call = propose()
        sent = tool.perform(call)
        git(remote.folder, "update-ref", "-d", f"refs/kedge/actions/{call.action_id}")
        assert tool.look_up(call) == Found(sent.receipt)

    def test_it_is_never_said_to_be_voided(
        self, tool: GitPush, remote: Remote, propose: MakeCall
    ) -> None:
        before = remote.refs()
        with pytest.raises(Unanswered):
            tool.void(propose())
        assert remote.refs() == before


def test_an_atomic_remote_can_void(tool: GitPush, remote: Remote, propose: MakeCall) -> None:
    call, before = propose(), remote.refs()
    assert tool.capabilities_for(call.tenant, call.parameters) == tool.capabilities
    assert remote.refs() == before
    assert isinstance(tool.void(call), Voided)
