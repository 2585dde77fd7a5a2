"""What was read in the question before stays read, where the bytes are the same."""

import pytest

from approvals.drift import rereading
from approvals.models import ApprovalRequest
from approvals.showing import shown
from approvals.showing.shown import Part
from tests.approvals.questions import ask, eve, make_question, make_run
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

FIRST = Part("file/1/1", 0, 10, "a" * 64)
SECOND = Part("file/2/1", 10, 20, "b" * 64)


@pytest.fixture
def asked() -> tuple[ApprovalRequest, ApprovalRequest]:
    """A question, and the one that takes its place; Dee had opened the first file."""
    question = make_question(make_run(make_tenant()))
    old = ask(question)
    shown.record(old.pk, dee(make_tenant()), [FIRST])
    moved = make_question(old.run, action_id=str(old.action_id), rules_version="s" * 64)
    return old, ask(moved)


def test_the_same_bytes_are_read_also_under_another_name(
    asked: tuple[ApprovalRequest, ApprovalRequest],
) -> None:
    renamed = Part("file/7/1", 500, 510, FIRST.digest)
    assert rereading.carried(asked[1], dee(), [renamed, SECOND]) == {"file/7/1"}
    assert shown.opened_by(asked[1], dee()) == frozenset()  # nothing is claimed as opened here


def test_what_others_read_is_not_read_by_me(
    asked: tuple[ApprovalRequest, ApprovalRequest],
) -> None:
    assert rereading.carried(asked[1], eve(make_tenant()), [FIRST]) == frozenset()


def test_a_first_question_has_nothing_read_before(
    asked: tuple[ApprovalRequest, ApprovalRequest],
) -> None:
    assert rereading.carried(asked[0], dee(), [FIRST]) == frozenset()


def test_another_page_of_the_same_values_is_not_read_with_the_first() -> None:
    question = make_question(make_run(make_tenant()))
    old = ask(question)
    whole = [Part("values/1", 0, 900, "c" * 64), Part("values/2", 0, 900, "c" * 64)]
    kept = Part("kept/1", 0, 900, "c" * 64)
    shown.record(old.pk, dee(make_tenant()), [whole[0], kept])
    new = ask(make_question(old.run, action_id=str(old.action_id), rules_version="s" * 64))
    assert rereading.carried(new, dee(), whole) == {"values/1"}
