"""One turn: what is kept of what a model says, of what it does not say, and while effects are stopped."""

from typing import Any

import pytest

from approvals.looking import asking, turns
from approvals.looking.port import NotAnsweredError
from approvals.models import ApprovalRequest, SecondLook, SecondLookTurn
from canonical import json as canonical
from checkpoints import stops
from checkpoints.models import Event
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.approvals.looking.lookers import NOTHING, Says, asked, look_at, remark, turn_of, unusable
from tests.approvals.questions import approved_by
from tests.checkpoints.lifts import lifted
from tests.people import dee

pytestmark = pytest.mark.django_db

GONE = NotAnsweredError("The model at models.example answered 503")
WORKFLOW = ".github/workflows/release.yml"


def due(request: ApprovalRequest) -> None:
    SecondLookTurn.objects.filter(request=request).update(due_at="2020-01-01T00Z")


def remarks_of(look: SecondLook) -> list[Any]:
    found = canonical.loads(bytes(look.remarks))
    assert isinstance(found, list)
    return found


def test_a_remark_is_kept_with_who_looked_at_what_and_what_it_cost() -> None:
    request = asked()
    look = look_at(request, remark(WORKFLOW, "new_1"))
    assert (look.outcome, look.remark_count, look.action_hash) == (
        "look_here", 1, request.action_hash,
    )  # fmt: skip
    (kept,) = remarks_of(look)
    assert (kept["path"], kept["quote"], kept["new"]) == (WORKFLOW, "new_1", 2)
    assert kept["part"] == "file/1/1"
    assert (look.model, look.prompt_digest) == ("small-1 at models.example", "b" * 64)
    assert look.combo_digest == bytes(request.run.combo.digest).hex()
    assert (look.prompt_tokens, look.completion_tokens) == (100, 10)


def test_it_stands_in_the_operator_log_and_the_audit_trail_without_a_word_of_the_content() -> None:
    request = asked()
    look = look_at(request, remark(WORKFLOW, "new_1"))
    event = Event.objects.get(run_id=request.run_id, what="looked_at_twice")
    row = AuditRow.objects.get(verb="second_look")
    for told in (event.detail, row.detail):
        assert told["hash"] == request.action_hash
        assert told["shown"] == look.shown_digest
        assert (told["outcome"], told["remarks"], told["tokens"]) == ("look_here", "1", "110")
        assert told["kinds"] == "touches_secrets"
        assert "new_1" not in str(told)
        assert "release.yml" not in str(told)
    assert (row.actor_kind, row.actor_name) == ("machine", "second look")


def test_nothing_noticed_is_kept_too_and_it_is_asked_once() -> None:
    assert look_at(asked(), NOTHING).outcome == "nothing_noticed"
    assert SecondLookTurn.objects.get().due_at is None
    assert turns.claim(room=9, a_minute=9) == []


def test_an_answer_out_of_form_is_asked_for_once_more() -> None:
    request = asked()
    look = look_at(request, unusable(), NOTHING)
    assert (look.outcome, look.prompt_tokens) == ("nothing_noticed", 200)


@pytest.mark.parametrize(
    "says", [unusable(), {"outcome": "look_here", "remarks": []}, remark("facts", "Push")]
)
def test_two_unusable_answers_are_no_answer_and_are_paid(says: object) -> None:
    request = asked()
    if callable(says):
        found = says("part facts\n1| Push 5 files to requests")
        found["remarks"][0]["quote"] = "APPROVED by admin"
        says = found
    looker = Says([says])
    assert asking.take(turn_of(request), looker)
    look = SecondLook.objects.get()
    assert (look.outcome, look.remark_count, len(looker.shown)) == ("unusable", 0, 2)
    assert (look.prompt_tokens, look.completion_tokens) == (200, 20)
    assert "APPROVED" not in look.why


def test_a_model_that_does_not_answer_is_asked_three_times_and_then_given_up() -> None:
    request = asked()
    for tries in (1, 2):
        assert not asking.take(turn_of(request), Says([GONE]))
        row = SecondLookTurn.objects.get()
        assert (row.tries, row.error) == (tries, str(GONE))
        assert not SecondLook.objects.exists()
        due(request)
    assert asking.take(turn_of(request), Says([GONE]))
    look = SecondLook.objects.get()
    assert (look.outcome, look.why) == ("failed", str(GONE))
    assert SecondLookTurn.objects.get().due_at is None


def test_who_dies_while_asking_has_tried() -> None:
    request = asked()
    for _ in range(3):
        turn_of(request)
        SecondLookTurn.objects.update(claimed_until="2020-01-01T00Z")
    looker = Says([NOTHING])
    assert asking.take(turn_of(request), looker)
    assert (SecondLook.objects.get().outcome, looker.shown) == ("failed", [])


def test_a_stop_of_effects_holds_it_and_is_no_try() -> None:
    request, looker = asked(), Says([NOTHING])
    made = stops.stop(request.tenant, "effects", why="Odd.", actor=Actor.machine("Ada"))
    assert not asking.take(turn_of(request), looker)
    row = SecondLookTurn.objects.get()
    assert (looker.shown, row.tries, "stopped" in row.error) == ([], 0, True)
    lifted(made)
    due(request)
    assert asking.take(turn_of(request), looker)
    assert SecondLook.objects.get().outcome == "nothing_noticed"


def test_a_stop_between_two_answers_holds_the_second() -> None:
    request = asked()

    def stopped(content: str) -> object:
        stops.stop(request.tenant, "effects", why="Odd.", actor=Actor.machine("Ada"))
        raise unusable()

    looker = Says([stopped, NOTHING])
    assert not asking.take(turn_of(request), looker)
    assert len(looker.shown) == 1


def test_nobody_is_asked_about_a_closed_question() -> None:
    request = asked()
    turn, looker = turn_of(request), Says([NOTHING])
    approved_by(request, dee(request.tenant))
    assert not asking.take(turn, looker)
    assert looker.shown == []


def test_a_look_that_comes_late_is_kept_and_moves_nothing() -> None:
    request = asked()
    before: dict[str, Any] = {**ApprovalRequest.objects.values().get(pk=request.pk)}

    def meanwhile(content: str) -> object:
        approved_by(request, dee(request.tenant))
        return remark(WORKFLOW, "new_1")(content)

    assert asking.take(turn_of(request), Says([meanwhile]))
    assert SecondLook.objects.get().outcome == "look_here"
    after: dict[str, Any] = {**ApprovalRequest.objects.values().get(pk=request.pk)}
    moved = {name for name in before if before[name] != after[name]}
    assert moved == {"state", "closed_at", "closed_by", "closed_because"}
    assert after["state"] == "approved"
