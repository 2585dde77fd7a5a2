"""One comparison for all who ask whether it is still what people were asked about."""

from dataclasses import replace

import pytest

from approvals.drift import comparing, terms
from approvals.hashing import Difference
from approvals.rules import Requirement
from tests.approvals.questions import ONE, TWO, ask, make_question, make_run, tamper

pytestmark = pytest.mark.django_db


def since(requirement: Requirement = ONE, **fields: object) -> list[str]:
    question = make_question(make_run())
    request = ask(question)
    now = replace(question.bound, **fields)  # type: ignore[arg-type]
    return [each.field for each in comparing.since(request, now, requirement.as_json())]


def test_the_same_content_has_not_moved() -> None:
    assert since() == []


def test_another_demand_has_moved() -> None:
    assert since(requirement=TWO) == ["requirement"]


def test_everything_that_moved_is_named() -> None:
    assert since(tool="mail.send", resources={"origin/main": "b"}) == [
        "resources.origin/gone",
        "resources.origin/main",
        "tool",
    ]


def test_a_damaged_request_names_what_does_not_fit() -> None:
    question = make_question(make_run())
    request = ask(question)
    tamper(request, nonce="0" * 32, parameters=b"{}")
    moved = comparing.since(request, question.bound, question.requirement.as_json())
    assert sorted(each.field for each in moved) == ["nonce", "parameters_digest"]


def test_a_request_that_cannot_be_read_has_moved_as_a_whole() -> None:
    question = make_question(make_run())
    request = ask(question)
    request.bound = b"{}"
    moved = comparing.since(request, question.bound, question.requirement.as_json())
    assert [each.field for each in moved] == ["action_hash"]


def test_the_last_check_tells_the_hash_it_refused_from_the_newest() -> None:
    question = make_question(make_run())
    old = ask(question)
    new = ask(replace(question, bound=replace(question.bound, acting_credential="else")))
    moved = comparing.at_dispatch(old.action_id, old.action_hash)
    assert [each.field for each in moved] == ["acting_credential"]
    assert comparing.at_dispatch(old.action_id, new.action_hash) == []


def test_the_sentence_names_what_moved_and_counts_the_rest() -> None:
    many = [Difference(f"resources.{n}", "1", "2") for n in range(10)]
    told = "The question changed: 0, 1, 2, 3, 4, 5, 6, 7 and 2 more."
    assert comparing.sentence(many) == told
    assert comparing.sentence([]) == "The question changed."


@pytest.mark.parametrize(
    ("saw", "now", "told"),
    [
        ("1", "2", ("1", "2", "It moved in between.")),
        ("", "2", ("not there", "2", "It appeared in between.")),
        ("1", "", ("1", "not there", "It disappeared in between.")),
        (None, "2", ("not looked at", "2", "It is looked at now, and was not before.")),
        ("1", None, ("1", "not looked at", "It is not looked at any more.")),
    ],
)
def test_absence_and_not_looking_are_told_apart(
    saw: str | None, now: str | None, told: tuple[str, str, str]
) -> None:
    (row,) = terms.rows([Difference("resources.origin/main", saw, now)])
    assert (row.saw.text, row.now.text, row.difference) == told


def test_names_cannot_hide_what_they_are() -> None:
    (row,) = terms.rows([Difference("resources.a\u202eb", "1\n2", "\u200b")])
    assert "\u202e" not in row.name
    assert "\n" not in row.saw.text
    assert "\u200b" not in row.now.text


def test_which_question_it_was_is_no_difference_to_people() -> None:
    assert terms.rows([Difference("nonce", "a", "b"), Difference("expires_at", "a", "b")]) == []
