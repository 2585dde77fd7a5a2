"""Fleet change from its first node to its end, with what the world answers given by hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pytest_django import Settings

from agents import gitobjects
from agents.errors import RepositoryUnreadable
from agents.fleet_change.graph import GRAPH
from agents.remotes import BRANCH, remote_url
from checkpoints.graph import (
    EXPIRED,
    HAPPENED,
    REFUSED,
    REJECTED,
    SENT_BACK,
    WRITTEN_OFF,
    Proposal,
    Result,
)
from tests.agents.context import Answer, MemoryContext, Walked, walk
from tests.agents.git_fixtures import commit, init

GIVEN = {
    "repository": "small",
    "rule": {"kind": "ruff", "select": ["UP"]},
    "maintainer": "teo@kedge.example",
    "campaign": "modern-python",
}
FILES = {"a.py": "x = u'a'\n", "b/c.py": "y = u'b'\nz = 1\n", "d.py": "z = 1\n", "e.md": "u'e'\n"}
ALL_FILES = ["change_file"] * 3
NOT_DONE = (REFUSED, REJECTED, EXPIRED, WRITTEN_OFF)


@pytest.fixture(autouse=True)
def small(tmp_path: Path, settings: Settings) -> str:
    settings.KEDGE_REMOTES = str(tmp_path)
    settings.KEDGE_MODEL_URL = ""
    remote = init(Path(remote_url("acme", "small")))
    commit(remote, FILES)
    return remote


def answers(*kinds: str) -> Answer:
    """These results in this order, whatever is proposed."""
    rest: Iterator[tuple[int, str]] = iter(enumerate(kinds, start=1))

    def answer(_node: str, _proposal: Proposal) -> Result:
        number, kind = next(rest)
        return Result(kind, f"action-{number}", note=f"note {number}")

    return answer


def run(
    answer: Answer | None = None, given: dict[str, Any] = GIVEN
) -> tuple[MemoryContext, Walked]:
    jsonschema.validate(given, GRAPH.manifest.input_schema)
    context = MemoryContext(given)
    return context, walk(GRAPH, context, answer)


def test_a_push_and_a_mail_end_in_success() -> None:
    _, walked = run(answers(HAPPENED, HAPPENED))
    words = ["write_message", "build", "push", "mail"]
    assert walked.nodes == ["read_head", *ALL_FILES, *words]
    assert (walked.state["changed"], walked.state["total"]) == (2, 3)
    assert walked.state["mail"]["result"] == HAPPENED
    assert GRAPH.manifest.succeeded(walked.state)


def test_the_log_has_one_line_for_each_file() -> None:
    context, walked = run(answers(REJECTED))
    read, *lines = context.chains["log"]
    assert read == {"read": walked.state["head"], "files": 3}
    assert [line["path"] for line in lines] == ["a.py", "b/c.py", "d.py"]
    changed = [line for line in lines if "content" in line]
    assert [context.get(line["content"]) for line in changed] == [
        b"x = 'a'\n",
        b"y = 'b'\nz = 1\n",
    ]
    assert sum(line["insertions"] for line in changed) == walked.state["insertions"] == 2


def test_two_runs_over_the_same_commit_propose_the_same_bytes() -> None:
    first, second = (run(answers(HAPPENED, HAPPENED))[1] for _ in range(2))
    assert first.proposals == second.proposals


def test_what_is_proposed_is_the_branch_that_was_read(small: str) -> None:
    _, walked = run(answers(HAPPENED, HAPPENED))
    (_, push), (_, mail) = walked.proposals
    assert push.parameters["remote"] == "small"
    assert push.parameters["branch"] == "main"
    assert push.parameters["expected"] == gitobjects.head(small, BRANCH)
    assert push.parameters["change"] == {"files": 2, "lines": 4, "deletions": 0}
    assert mail.parameters["to"] == "teo@kedge.example"
    assert push.parameters["commit"] in mail.parameters["body"]


def test_no_change_is_a_success_without_any_effect() -> None:
    nothing = GIVEN | {"rule": {"kind": "codemod", "name": "logger-warning"}}
    _, walked = run(given=nothing)
    assert walked.nodes == ["read_head", *ALL_FILES]
    assert GRAPH.manifest.succeeded(walked.state)


def test_a_repository_without_python_has_nothing_to_change() -> None:
    commit(init(Path(remote_url("acme", "words"))), {"a.md": "x"})
    _, walked = run(given=GIVEN | {"repository": "words"})
    assert walked.nodes == ["read_head"]
    assert GRAPH.manifest.succeeded(walked.state)


def test_a_run_in_the_middle_has_not_succeeded() -> None:
    assert not GRAPH.manifest.succeeded({})
    assert not GRAPH.manifest.succeeded({"position": 1, "total": 2, "changed": 0})


@pytest.mark.parametrize("kind", NOT_DONE)
def test_a_push_that_does_not_happen_stops_the_run(kind: str) -> None:
    _, walked = run(answers(kind))
    assert walked.nodes[-1] == "push"
    assert walked.stop == kind
    assert not GRAPH.manifest.succeeded(walked.state)


@pytest.mark.parametrize("kind", NOT_DONE)
def test_whatever_becomes_of_the_mail_the_push_stands(kind: str) -> None:
    _, walked = run(answers(HAPPENED, kind))
    assert [node for node, _ in walked.proposals] == ["push", "mail"]
    assert walked.state["mail"] == {"result": kind, "action_id": "action-2", "note": "note 2"}
    assert GRAPH.manifest.succeeded(walked.state)


def test_a_push_that_is_sent_back_is_written_and_built_anew() -> None:
    _, walked = run(answers(SENT_BACK, SENT_BACK, HAPPENED, HAPPENED))
    again = ["write_message", "build", "push"]
    assert walked.nodes[-10:] == [*again, *again, *again, "mail"]
    pushes = [push.parameters for node, push in walked.proposals if node == "push"]
    assert len({push["commit"] for push in pushes}) == 3
    assert pushes[0]["change"] == pushes[2]["change"]
    assert walked.state["push_notes"] == ["note 1", "note 2"]
    assert "note 2" in walked.state["body"]


def test_a_mail_that_is_sent_back_never_pushes_again() -> None:
    _, walked = run(answers(HAPPENED, SENT_BACK, HAPPENED))
    assert walked.nodes[-4:] == ["push", "mail", "write_summary", "mail"]
    first, second = (mail.parameters for node, mail in walked.proposals if node == "mail")
    assert "note 2" in second["body"]
    assert first["body"] != second["body"]


def test_a_branch_that_is_gone_is_unreadable() -> None:
    with pytest.raises(RepositoryUnreadable):
        run(given=GIVEN | {"repository": "gone"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"repository": "../other"},
        {"maintainer": "two@x.example, three@x.example"},
        {"rule": {"kind": "ruff", "select": ["--config=x"]}},
        {"rule": {"kind": "codemod", "name": "rm"}},
        {"campaign": "a\n"},
        {"repository": "a\n"},
        {"maintainer": "a@b.example\n"},
        {"more": 1},
    ],
)
def test_an_input_that_reaches_elsewhere_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(GIVEN | wrong, GRAPH.manifest.input_schema)
