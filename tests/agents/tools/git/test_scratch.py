"""A scratch repository names objects as git does and is gone afterwards."""

import hashlib
from collections.abc import Iterator

import pytest

from agents.tools.deadline import Deadline
from agents.tools.git.errors import GitFailed
from agents.tools.git.process import Git
from agents.tools.git.scratch import Scratch, scratch
from tests.agents.tools.git.remote import Remote


@pytest.fixture
def work() -> Iterator[Scratch]:
    with scratch(Git(Deadline(30))) as repository:
        yield repository
    assert not repository.folder.exists()


@pytest.mark.parametrize("content", [b"", b"x\n", b"\x00\xff" * 5000])
def test_git_reads_what_was_written(work: Scratch, content: bytes) -> None:
    name = work.write("blob", content)
    assert work.read("blob", name) == content
    assert work.git("hash-object", "--stdin", stdin=content).decode().strip() == name


def test_objects_of_one_kind_are_read_together(work: Scratch) -> None:
    names = [work.write("blob", body) for body in (b"a\nb\n", b"")]
    tree = work.git("write-tree").decode().strip()
    missing = hashlib.sha1(b"?", usedforsecurity=False).hexdigest()
    read = work.read_all("blob", [names[0], tree, missing, names[1]])
    assert read == {names[0]: b"a\nb\n", names[1]: b""}
    assert work.read_all("blob", []) == {}


def test_an_object_of_another_kind_is_an_error(work: Scratch) -> None:
    with pytest.raises(GitFailed):
        work.read("tag", work.write("blob", b"x"))


def test_a_ref_that_is_not_there_is_no_error(work: Scratch, remote: Remote) -> None:
    url = f"file://{remote.folder}"
    assert not work.fetch(url, "+refs/heads/side:refs/side")
    assert work.fetch(url, "+refs/heads/main:refs/main")
    assert work.refs("refs/") == {"main": remote.head()}
    assert work.listed(url, "refs/heads/*") == {"refs/heads/main": remote.head()}


@pytest.mark.parametrize("url", ["--upload-pack=touch ran", "ext::sh -c true", "/nowhere"])
def test_an_address_that_is_none_is_an_error(work: Scratch, url: str) -> None:
    with pytest.raises(GitFailed):
        work.fetch(url, "+refs/heads/main:refs/main")
