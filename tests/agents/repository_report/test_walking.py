"""The report walks a real history, commit by commit, and adds it up."""

from pathlib import Path
from typing import Any

import pytest

from agents import gitobjects
from agents.errors import RepositoryUnreadable
from agents.remotes import BRANCH, remote_url
from agents.repository_report.graph import GRAPH
from agents.repository_report.walking import author_mark
from checkpoints.graph import COMPUTE, READ
from tests.agents.context import MemoryContext, walk


def report(repository: str, limit: int = 1_000) -> tuple[MemoryContext, list[str], dict[str, Any]]:
    context = MemoryContext({"repository": repository, "limit": limit})
    walked = walk(GRAPH, context)
    assert GRAPH.manifest.succeeded(walked.state)
    return context, walked.nodes, walked.state["summary"]


def test_a_report_can_only_read_and_compute() -> None:
    assert {node.kind for node in GRAPH.nodes.values()} == {COMPUTE, READ}
    assert GRAPH.manifest.tools == ()


def test_each_commit_is_one_node_down_to_the_root(remotes: Path) -> None:
    context, nodes, summary = report("rq")
    assert nodes == ["read_head", *["walk"] * summary["commits"], "summarise"]
    assert summary["commits"] == 12
    shas = [commit["sha"] for commit in context.chains["commits"]]
    head = gitobjects.head(remote_url("acme", "rq"), BRANCH)
    assert shas[0] == head == context.seen["git:rq#main"]
    assert gitobjects.commit(remote_url("acme", "rq"), shas[-1]).parent == ""


def test_the_sums_are_those_of_git(remotes: Path) -> None:
    _, _, summary = report("rq")
    size = sum(
        gitobjects.blob(remote_url("acme", "rq"), file.blob).count(b"\n")
        for file in gitobjects.files(remote_url("acme", "rq"), _head("rq"), "")
    )
    assert summary["insertions"] - summary["deletions"] == size
    assert summary["deletions"] == summary["commits"] - 1
    assert summary["most_changed"][0] == ["README.md", summary["commits"]]


def test_the_limit_ends_the_walk_early(remotes: Path) -> None:
    _, nodes, summary = report("rq", limit=3)
    assert nodes.count("walk") == summary["commits"] == 3


def test_authors_are_told_apart_but_not_named(remotes: Path) -> None:
    context, _, summary = report("rq")
    assert len(summary["authors"]) == 4
    assert "@" not in str(context.chains)
    assert author_mark("acme", "Ada@x.example") == author_mark("acme", "ada@x.example")
    assert author_mark("acme", "ada@x.example") != author_mark("globex", "ada@x.example")


def test_a_repository_that_is_gone_is_unreadable(remotes: Path) -> None:
    with pytest.raises(RepositoryUnreadable):
        report("nothing-here")


def _head(repository: str) -> str:
    sha = gitobjects.head(remote_url("acme", repository), BRANCH)
    assert sha
    return sha
