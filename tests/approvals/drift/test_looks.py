"""Looks: few at a time, kept only by who holds the claim, and what they change for the run."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from approvals import clock, requests
from approvals.drift import looks
from approvals.drift.looks import Look, Pace
from approvals.hashing import Difference
from approvals.models import ApprovalRequest
from approvals.models.freshness import Freshness
from checkpoints.models import Event
from tenants.models import AuditRow
from tests.approvals.questions import WORKER, ask, asked, decide, make_question, make_run
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

PACE = Pace(every=30, at_once=2, seconds=20)
MOVED = [Difference("resources.origin/main", "a" * 40, "b" * 40)]
LONG_AGO = "2020-01-01T00Z"


def due(*waiting: ApprovalRequest, tool: str = "git.push") -> None:
    Freshness.objects.filter(request__in=waiting).update(due_at=LONG_AGO, tool=tool)


def look_at(request: ApprovalRequest, pace: Pace = PACE) -> Look:
    due(request)
    (claimed,) = looks.claim("git.push", pace, room=1)
    assert claimed.request_id == request.pk
    return claimed


def row(request: ApprovalRequest) -> Freshness:
    return Freshness.objects.get(pk=request.pk)


def test_asking_is_the_first_look_and_the_next_is_due_soon() -> None:
    request = asked()
    first = row(request)
    assert (first.verdict, first.seen_at, first.error) == ("equal", request.asked_at, "")
    assert first.due_at == request.asked_at + timedelta(seconds=10)
    assert looks.claim("git.push", PACE, room=9) == []


def test_no_more_are_under_way_than_the_tool_allows() -> None:
    waiting = [asked() for _ in range(5)]
    due(*waiting)
    assert len(looks.claim("git.push", PACE, room=9)) == 2
    assert looks.claim("git.push", PACE, room=9) == []


def test_no_more_are_claimed_than_this_process_has_room_for() -> None:
    due(*[asked() for _ in range(5)])
    assert len(looks.claim("git.push", PACE, room=1)) == 1
    assert len(looks.claim("git.push", PACE, room=1)) == 1


def test_a_tool_that_is_busy_keeps_no_other_tool_from_its_looks() -> None:
    due(*[asked() for _ in range(3)])
    other = asked()
    due(other, tool="mail.send")
    looks.claim("git.push", PACE, room=9)
    assert [look.request_id for look in looks.claim("mail.send", PACE, room=9)] == [other.pk]


def test_longest_due_comes_first() -> None:
    waiting = [asked() for _ in range(3)]
    due(*waiting)
    Freshness.objects.filter(pk=waiting[1].pk).update(due_at="2019-01-01T00Z")
    (claimed,) = looks.claim("git.push", PACE, room=1)
    assert claimed.request_id == waiting[1].pk


def test_a_claim_that_ran_out_can_be_taken_over_and_its_late_finding_is_not_kept() -> None:
    request = asked()
    slow = look_at(request)
    Freshness.objects.filter(pk=request.pk).update(claimed_until=LONG_AGO)
    (quick,) = looks.claim("git.push", PACE, room=1)
    assert looks.note_seen(slow, MOVED) is False
    assert looks.note_unseen(slow, "too late") is False
    assert (row(request).verdict, row(request).error) == ("equal", "")
    assert looks.note_seen(quick, []) is True


def test_equal_moves_the_time_and_leaves_no_event() -> None:
    request = asked()
    before = row(request).seen_at
    assert looks.note_seen(look_at(request), [])
    after = row(request)
    assert (after.verdict, after.claim, after.claimed_until) == ("equal", None, None)
    assert after.seen_at > before
    assert after.due_at is not None
    assert after.due_at > clock.now() + timedelta(seconds=25)
    assert [event.what for event in Event.objects.all()] == ["asked"]


def test_moved_is_kept_by_field_and_is_an_event_of_the_run_once() -> None:
    request = asked()
    for _look in range(2):
        looks.note_seen(look_at(request), MOVED, ["a.py"])
    kept = row(request)
    assert (kept.verdict, kept.files) == ("moved", ["a.py"])
    assert kept.differences == [
        {"field": "resources.origin/main", "saw": "a" * 40, "now": "b" * 40}
    ]
    told = Event.objects.filter(what="found_moved")
    assert [event.detail["moved"] for event in told] == ["resources.origin/main"]
    assert AuditRow.objects.get(verb="find_moved").actor_name == "sweeper"


def test_a_world_that_moved_back_is_as_before() -> None:
    request = asked()
    looks.note_seen(look_at(request), MOVED, ["a.py"])
    looks.note_seen(look_at(request), [])
    assert (row(request).verdict, row(request).differences, row(request).files) == (
        "equal",
        [],
        None,
    )
    assert Event.objects.filter(what="found_as_before").count() == 1


def test_what_could_not_be_seen_is_said_and_changes_no_verdict() -> None:
    request = asked()
    looks.note_seen(look_at(request), MOVED)
    seen_at = row(request).seen_at
    looks.note_unseen(look_at(request), "the remote is gone")
    kept = row(request)
    assert (kept.verdict, kept.error, kept.failures) == ("moved", "the remote is gone", 1)
    assert kept.seen_at == seen_at
    looks.note_seen(look_at(request), [])
    assert (row(request).error, row(request).failures) == ("", 0)


def test_a_tool_that_is_down_is_asked_ever_more_rarely_and_never_given_up() -> None:
    request, waits = asked(), []
    for _look in range(6):
        looks.note_unseen(look_at(request), "down")
        at = row(request).due_at
        assert at is not None
        waits.append(round((at - clock.now()).total_seconds() / 30))
    assert waits == [2, 4, 8, 16, 16, 16]


@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_a_request_that_is_closed_is_not_looked_at_any_more(verdict: str) -> None:
    request = asked()
    claimed = look_at(request)
    decide(request, dee(make_tenant()), verdict)
    assert looks.note_seen(claimed, MOVED) is False
    assert (row(request).due_at, row(request).verdict) == (None, "equal")
    assert not Event.objects.filter(what="found_moved").exists()


def test_a_new_question_is_looked_at_by_itself() -> None:
    question = make_question(make_run())
    old = ask(question)
    looks.note_seen(look_at(old), MOVED)
    requests.withdraw(old.action_id, actor=WORKER, reason="again")
    new = ask(question)
    assert row(new).verdict == "equal"
    assert row(old).verdict == "moved"


@pytest.mark.parametrize(
    "columns",
    [{"verdict": "moved"}, {"differences": [{"field": "tool"}]}, {"verdict": "unsure"}],
)
def test_the_database_refuses_a_verdict_without_its_reasons(columns: dict[str, Any]) -> None:
    request = asked()
    with pytest.raises(IntegrityError), transaction.atomic():
        Freshness.objects.filter(pk=request.pk).update(**columns)
