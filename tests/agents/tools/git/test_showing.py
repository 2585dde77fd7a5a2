"""The dry run shows the real diff against the branch as it is now, and what it was read from."""

from dataclasses import replace

import pytest

from agents.tools.git.errors import BadProposal
from agents.tools.git.tool import GitPush
from reconciliation.tools import CredentialInvalid, Unanswered
from tests.agents.tools.git.conftest import MakeCall
from tests.agents.tools.git.remote import Remote, git
from tests.contract.worlds import make_call

SEEN = "refs/heads/main on ship"


def test_it_is_the_diff_that_git_shows(tool: GitPush, remote: Remote, propose: MakeCall) -> None:
    call = propose({"src/anchor.py": b"DEPTH = 5\n", "README.md": None, "new.txt": b"new\n"})
    shown = tool.dry_run(call)
    assert shown.resources == {SEEN: call.parameters["expected"]}
    tool.perform(call)
    commits = (call.parameters["expected"], call.parameters["commit"])
    diff = git(remote.folder, "diff", "--full-index", "--no-renames", *commits)
    assert shown.diff.decode() == diff + "\n"


def test_the_summary_names_the_commit_and_the_unusual_first(
    tool: GitPush, propose: MakeCall
) -> None:
    call = propose({"src/anchor.py": b"DEPTH = 5\n", "README.md": None})
    assert tool.dry_run(call).summary == (
        f"Commit {call.parameters['commit'][:12]} by Kedge <kedge@example.org>: Go deeper",
        "deleted: files 1, lines +0 -1",
        "source: files 1, lines +1 -2",
    )


def test_a_moved_branch_shows_another_version_and_what_would_be_lost(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    before = tool.dry_run(call)
    moved = remote.commit({"else.txt": b"kept?\n", "src/rope.py": b"LENGTH = 13\n"})
    after = tool.dry_run(call)
    assert after.resources == {SEEN: moved}
    assert before.resources != after.resources
    assert b"-kept?" in after.diff
    assert b"-LENGTH = 13" in after.diff


def test_a_branch_that_is_not_there_has_the_version_of_absence(
    tool: GitPush, propose: MakeCall
) -> None:
    shown = tool.dry_run(propose({"a.txt": b"a\n"}, branch="side", base=""))
    assert shown.resources == {"refs/heads/side on ship": ""}
    assert b"new file mode 100644" in shown.diff


def test_binary_files_are_named_with_their_digests_not_dumped(
    tool: GitPush, propose: MakeCall
) -> None:
    first = tool.dry_run(propose({"logo.png": b"\x00\x01"})).diff
    second = tool.dry_run(propose({"logo.png": b"\x00\x02"})).diff
    assert b"Binary files /dev/null and b/logo.png differ" in first
    assert first != second


@pytest.mark.parametrize(
    "content", [b"caf\xe9\n", b"a\r\nb\x0c\x1b[31m\n", b"no end", "\u017e\u202e\n".encode()]
)
def test_odd_text_is_shown_byte_for_byte(tool: GitPush, propose: MakeCall, content: bytes) -> None:
    shown = tool.dry_run(propose({"odd näme.txt": content}))
    assert all(b"+" + line in shown.diff for line in content.split(b"\n") if line)


def test_a_change_of_mode_alone_is_a_difference(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call = propose()
    remote.commit({"README.md": b"# Ship\n"}, modes={"README.md": "100755"})
    assert b"old mode 100755\nnew mode 100644\n" in tool.dry_run(call).diff


@pytest.mark.parametrize("count", ["files", "lines", "deletions"])
def test_a_size_that_is_not_the_real_one_is_found_out(
    tool: GitPush, propose: MakeCall, count: str
) -> None:
    call = propose()
    size = {**call.parameters["change"], count: 7}
    with pytest.raises(BadProposal, match="another size"):
        tool.dry_run(replace(call, parameters={**call.parameters, "change": size}))


def test_a_pack_without_the_commit_can_never_be_sent(tool: GitPush, propose: MakeCall) -> None:
    call = propose()
    empty = replace(call, parameters={**call.parameters, "commit": "1" * 40})
    with pytest.raises(BadProposal):
        tool.dry_run(empty)
    damaged = make_call(dict(call.parameters))
    with pytest.raises(BadProposal):
        tool.dry_run(replace(damaged, read_blob=lambda _: b"PACK"))


def test_a_base_that_is_gone_is_not_answered(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    first = remote.head()
    remote.commit({"else.txt": b"x\n"})
    call = propose()
    remote.reset(first)
    git(remote.folder, "prune", "--expire=now")
    with pytest.raises(Unanswered):
        tool.dry_run(call)


def test_a_failed_login_is_an_invalid_credential(propose: MakeCall) -> None:
    # No server is needed: this "ssh" says what a server says to a wrong key.
    ssh = {"GIT_SSH_COMMAND": "echo 'git@ship: Permission denied (publickey).' >&2; exit 255;"}
    tool = GitPush(lambda *_: "ssh://git@ship/ship.git", environment=ssh)
    with pytest.raises(CredentialInvalid):
        tool.dry_run(propose())
    with pytest.raises(Unanswered):
        tool.look_up(propose())


def test_no_program_of_the_repository_runs(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    mark = remote.folder / "ran"
    remote.configure("diff.evil.textconv", f"touch {mark}; cat")
    remote.commit({".gitattributes": b"*.py diff=evil\n"})
    assert b"+DEPTH = 5" in tool.dry_run(propose()).diff
    assert not mark.exists()
