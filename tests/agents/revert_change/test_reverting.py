"""A pushed change is taken back on a real remote, by a new push that names the first."""

from pathlib import Path

import pytest
from pytest_django import Settings

from agents import gitobjects
from agents.remotes import BRANCH
from agents.revert_change.graph import GRAPH
from agents.tools.git.errors import CannotBuild
from checkpoints.graph import HAPPENED, Result
from tests.agents.context import MemoryContext
from tests.agents.git_fixtures import commit, git, init


@pytest.fixture
def pushed(tmp_path: Path, settings: Settings) -> tuple[str, str]:
    """A remote whose second commit changed a.txt; returns the remote and that commit."""
    settings.KEDGE_REMOTES = str(tmp_path)
    remote = init(tmp_path / "acme" / "lib.git")
    commit(remote, {"a.txt": "one\n", "b.txt": "b\n"})
    return remote, commit(remote, {"a.txt": "two\n"}, "second")


def _context(sha: str) -> MemoryContext:
    asked = {"repository": "lib", "commit": sha, "action_id": "a1", "why": "wrong"}
    return MemoryContext(asked)


def test_the_revert_is_a_new_action_that_names_what_it_undoes(pushed: tuple[str, str]) -> None:
    remote, sha = pushed
    context = _context(sha)
    read, build, push = (GRAPH.nodes[name] for name in ("read_head", "build", "push"))
    assert read.run
    assert build.run
    assert push.propose
    assert push.absorb
    state = read.run({}, context).state
    built = build.run(state, context)
    assert build.run(state, context) == built
    proposal = push.propose(built.state, context)
    assert proposal.compensates == "a1"
    assert proposal.parameters["expected"] == sha
    pack = context.get(proposal.parameters["pack"])
    (Path(remote) / "pack").write_bytes(pack)
    unpacked = git(remote, "cat-file", "-t", sha)
    assert unpacked.strip() == "commit"
    after = push.absorb(built.state, Result(HAPPENED, "a2"), context)
    assert GRAPH.manifest.succeeded(after.state)


def test_a_file_that_changed_again_since_needs_a_person(pushed: tuple[str, str]) -> None:
    remote, sha = pushed
    commit(remote, {"a.txt": "three\n"}, "third")
    context = _context(sha)
    read, build = GRAPH.nodes["read_head"], GRAPH.nodes["build"]
    assert read.run
    assert build.run
    state = read.run({}, context).state
    assert state["head"] == gitobjects.head(remote, BRANCH)
    with pytest.raises(CannotBuild):
        build.run(state, context)
