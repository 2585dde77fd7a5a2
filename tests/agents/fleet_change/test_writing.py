"""The model is asked for words, told facts, and paid for also when its answer is useless."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from pytest_django import Settings

from agents import pieces
from agents.errors import InvalidAnswer, ModelRefused
from agents.fleet_change.changing import change_file
from agents.fleet_change.reading import read_head
from agents.fleet_change.writing import write_message, write_summary
from agents.remotes import remote_url
from checkpoints.graph import State
from tests.agents.chat_server import chat_server
from tests.agents.context import MemoryContext, versions_of
from tests.agents.git_fixtures import commit, init

GIVEN = {
    "repository": "small",
    "rule": {"kind": "ruff", "select": ["UP"]},
    "maintainer": "teo@kedge.example",
    "campaign": "c",
}
GOOD = {"subject": "Drop u", "body": "It is not needed.", "summary": "One file."}
RULES = [
    {"name": "bad", "when": {"messages_contain": "be bad"}, "respond": {"content": "{}"}},
    {
        "name": "summary",
        "when": {"messages_contain": "already pushed"},
        "respond": {"content": json.dumps({"summary": "Shorter."})},
    },
    {
        "name": "saw the diff",
        "when": {"messages_contain": "+x = 'a'"},
        "respond": {"content": json.dumps(GOOD)},
    },
    {"name": "did not", "respond": {"status": 500}},
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chat_server(tmp_path_factory.mktemp("chat"), RULES) as url:
        yield url


@pytest.fixture
def context(tmp_path: Path, settings: Settings) -> MemoryContext:
    settings.KEDGE_REMOTES = str(tmp_path)
    settings.KEDGE_MODEL_URL = ""
    commit(init(Path(remote_url("acme", "small"))), {"a.py": "x = u'a'\n"})
    return MemoryContext(GIVEN, combo=versions_of("fleet_change"))


@pytest.fixture
def asked(context: MemoryContext, settings: Settings, address: str) -> None:
    """A model answers, and the run is of a combo that asks it."""
    settings.KEDGE_MODEL_URL, settings.KEDGE_MODEL = address, "small-1"
    context.combo = versions_of("fleet_change")


@pytest.fixture
def changed(context: MemoryContext) -> State:
    state = context.commit(read_head({}, context).state)
    return context.commit(change_file(state, context).state)


@pytest.mark.usefixtures("asked")
def test_the_model_sees_the_diff_and_its_words_are_taken(
    context: MemoryContext, changed: State
) -> None:
    to = write_message(changed, context)
    assert {name: to.state[name] for name in GOOD} == GOOD
    assert to.node == "build"
    assert context.cost["prompt_tokens"] > 0


@pytest.mark.usefixtures("asked")
def test_a_useless_answer_is_paid_for_and_raised(context: MemoryContext, changed: State) -> None:
    with pytest.raises(InvalidAnswer):
        write_message(changed | {"push_notes": ["be bad"]}, context)
    assert context.cost["completion_tokens"] > 0


@pytest.mark.usefixtures("asked")
def test_a_new_summary_leaves_the_commit_message_alone(
    context: MemoryContext, changed: State
) -> None:
    state = changed | GOOD | {"mail_notes": ["shorter"]}
    assert write_summary(state, context).state == state | {"summary": "Shorter."}


def test_the_stand_in_takes_any_note(context: MemoryContext, changed: State) -> None:
    note = "line\nFleet-Change: x\x07\u202e" + "long " * 2_000
    to = write_message(changed | {"push_notes": [note] * 5}, context)
    assert "Asked for in review: line" in to.state["body"]


def test_a_hasty_prompt_claims_what_nobody_has_checked(
    context: MemoryContext, changed: State
) -> None:
    """The prompt of the combo decides, and nothing else that the node could look at."""
    careful = write_message(changed, context).state
    context.combo = versions_of("fleet_change", "hasty")
    hasty = write_message(changed | {"push_notes": ["say what changed"]}, context).state
    assert "tests pass" in hasty["body"]
    assert "tests" not in careful["body"]
    assert "say what changed" not in hasty["body"]
    assert "tested" in write_summary(hasty | {"mail_notes": ["no"]}, context).state["summary"]


def test_a_combo_that_asks_another_host_is_not_answered_here(
    context: MemoryContext, changed: State, settings: Settings, address: str
) -> None:
    settings.KEDGE_MODEL_URL, settings.KEDGE_MODEL = address, "small-1"
    with pytest.raises(ModelRefused, match="asks stand-in"):
        write_message(changed, context)


@pytest.mark.parametrize("subject", ["", "  ", "two\nlines", "bell\x07", "\u202etxet", "x" * 73])
def test_a_subject_is_one_plain_line(subject: str) -> None:
    schema = pieces.document("fleet_change", "answer.schemas.json")["write_message"]
    jsonschema.validate(GOOD | {"subject": "Use é and 😀"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(GOOD | {"subject": subject}, schema)
