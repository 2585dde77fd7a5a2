"""The head, as a run that was interrupted sees it: its own push is no change of the world."""

from pathlib import Path

import pytest
from pytest_django import Settings

from agents.fleet_change.log import changed_files
from agents.fleet_change.message import trailer
from agents.fleet_change.reading import present_head, read_head
from agents.remotes import remote_url
from tests.agents.context import MemoryContext
from tests.agents.git_fixtures import commit, init

GIVEN = {"repository": "small", "campaign": "c", "rule": {}, "maintainer": "a@b.example"}
SOURCE = "git:small#main"


@pytest.fixture
def small(tmp_path: Path, settings: Settings) -> str:
    settings.KEDGE_REMOTES = str(tmp_path)
    remote = init(Path(remote_url("acme", "small")))
    commit(remote, {"a.py": "1\n"}, at=1_700_000_000)
    return remote


@pytest.fixture
def read(small: str) -> MemoryContext:
    context = MemoryContext(GIVEN)
    context.commit(read_head({}, context).state)
    return context


def test_the_commit_its_date_and_its_files_are_fixed(small: str) -> None:
    context = MemoryContext(GIVEN)
    to = read_head({}, context)
    assert to.state["at"] == 1_700_000_000
    assert to.state["total"] == 1
    assert context.seen == {SOURCE: to.state["head"]}


def test_an_unmoved_head_is_the_one_that_was_read(read: MemoryContext) -> None:
    assert present_head(SOURCE, read) == read.seen[SOURCE]


def test_the_commit_of_somebody_else_is_a_change(read: MemoryContext, small: str) -> None:
    theirs = commit(small, {"b.py": "2\n"}, message="two")
    assert present_head(SOURCE, read) == theirs


def test_our_own_push_is_no_change_even_with_more_on_top(read: MemoryContext, small: str) -> None:
    commit(small, {"a.py": "2\n"}, message=f"ours\n\n{trailer(GIVEN)}\n")
    assert present_head(SOURCE, read) == read.seen[SOURCE]
    commit(small, {"b.py": "2\n"}, message="on top")
    assert present_head(SOURCE, read) == read.seen[SOURCE]


def test_the_push_of_an_earlier_campaign_is_a_change(read: MemoryContext, small: str) -> None:
    other = trailer(GIVEN | {"campaign": "other"})
    theirs = commit(small, {"a.py": "2\n"}, message=f"theirs\n\n{other}\n")
    assert present_head(SOURCE, read) == theirs


def test_a_repository_that_is_gone_has_no_version(read: MemoryContext, settings: Settings) -> None:
    settings.KEDGE_REMOTES = "/nonexistent"
    assert present_head(SOURCE, read) is None


def test_reading_again_forgets_what_was_worked_out_before(small: str) -> None:
    context = MemoryContext(GIVEN)
    state = context.commit(read_head({}, context).state)
    context.append("log", {"path": "a.py", "blob": "x", "content": {"$blob": "y", "size": 1}})
    state = context.commit(state | {"position": 1, "changed": 1, "push_notes": ["old"]})
    commit(small, {"b.py": "2\n"}, message="two")
    again = read_head(state, context).state
    context.commit(again)
    assert (again["position"], again["changed"], again["total"]) == (0, 0, 2)
    assert "push_notes" not in again
    assert changed_files(context.items("log")) == []
