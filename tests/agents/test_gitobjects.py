"""Reading a repository: only the head may change; what git cannot say is an error, not a guess."""

from pathlib import Path

import pytest

from agents import gitobjects
from agents.errors import RepositoryUnreadable, UnknownRepository
from agents.gitobjects import Lines
from agents.remotes import BRANCH, remote_url
from tests.agents.git_fixtures import data, git, init


@pytest.fixture
def repository(tmp_path: Path) -> str:
    remote = init(tmp_path / "r.git")
    head = f"commit {BRANCH}\ncommitter Ada <Ada@x.example> 1700000000 +0000\n{data('one')}"
    files = "M 100644 inline a.py\n" + data("x\n\ny\n")
    files += "M 100644 inline picture.py\n" + data("\0\0\0")
    files += "M 120000 inline link.py\n" + data("a.py")
    git(remote, "fast-import", "--quiet", given=head + files)
    second = f"commit {BRANCH}\ncommitter Bob <bob@x.example> 1700000100 +0000\n"
    second += data("two\n\nFleet-Change: c/rep\n") + f"from {head_of(remote)}\n"
    second += "M 100644 inline a.py\n" + data("x\n") + "D picture.py\n"
    git(remote, "fast-import", "--quiet", given=second)
    return remote


def head_of(repository: str) -> str:
    sha = gitobjects.head(repository, BRANCH)
    assert sha
    return sha


def test_a_missing_repository_or_branch_has_no_head(repository: str) -> None:
    assert gitobjects.head(repository + "-gone", BRANCH) is None
    assert gitobjects.head(repository, "refs/heads/other") is None


def test_a_branch_is_not_mistaken_for_a_folder_of_branches(repository: str) -> None:
    git(repository, "update-ref", "refs/heads/topic/one", BRANCH)
    assert gitobjects.head(repository, "refs/heads/topic") is None
    assert gitobjects.head(repository, "refs/heads/topic/one") == head_of(repository)


def test_a_commit_knows_its_parent_author_and_time(repository: str) -> None:
    last = gitobjects.commit(repository, head_of(repository))
    first = gitobjects.commit(repository, last.parent)
    assert (last.author, last.at) == ("bob@x.example", 1_700_000_100)
    assert first.parent == ""


def test_only_regular_files_with_the_suffix_are_listed(repository: str) -> None:
    first = gitobjects.commit(repository, head_of(repository)).parent
    listed = gitobjects.files(repository, first, ".py")
    assert [file.path for file in listed] == ["a.py", "picture.py"]
    assert gitobjects.blob(repository, listed[0].blob) == b"x\n\ny\n"


def test_lines_are_counted_also_at_the_root_and_not_in_binary_files(repository: str) -> None:
    last = gitobjects.commit(repository, head_of(repository))
    assert gitobjects.numstat(repository, last) == [Lines("a.py", 0, 2), Lines("picture.py", 0, 0)]
    first = gitobjects.commit(repository, last.parent)
    assert gitobjects.numstat(repository, first)[0] == Lines("a.py", 3, 0)


def test_a_line_is_looked_for_only_in_new_commits(repository: str) -> None:
    last = gitobjects.commit(repository, head_of(repository))
    line = "Fleet-Change: c/rep"
    found = gitobjects.has_commit_with_line
    assert found(repository, line, after=last.parent, until=last.sha)
    assert not found(repository, line[:-1], after=last.parent, until=last.sha)
    assert not found(repository, line, after=last.sha, until=last.sha)


def test_what_git_cannot_read_is_an_error_with_its_words(repository: str) -> None:
    with pytest.raises(RepositoryUnreadable, match="0000000"):
        gitobjects.blob(repository, "0" * 40)


@pytest.mark.parametrize("name", ["../acme", "", "a/b", "A", "-x", "x\n", ".git"])
def test_a_name_is_never_a_path(name: str) -> None:
    with pytest.raises(UnknownRepository):
        remote_url("acme", name)
    with pytest.raises(LookupError):
        remote_url(name, "rq")
