"""Being at a case: it stands in the run's history, and a verdict of anybody else is refused."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models.functions import Now
from pytest_django import Settings

from checkpoints import cases, claims, runs
from checkpoints.cases import Ruling
from checkpoints.claims import Subject
from checkpoints.desk import pauses, working
from checkpoints.errors import ClaimRefusedError, HeldByAnotherError, IllegalMoveError
from checkpoints.models import Case, Claim, Event, Note, OutsideWait, Verdict
from tenants.models import User
from tenants.notifications.models import Notification
from tests.people import dee

pytestmark = pytest.mark.django_db


def told(case: Case) -> list[tuple[str, dict[str, Any]]]:
    """What the run's history says of the case since it was opened, without its id."""
    found = Event.objects.filter(run=case.run_id, detail__case=str(case.pk)).order_by("id")
    return [
        (event.what, {k: v for k, v in event.detail.items() if k != "case"})
        for event in found
        if event.what != "held"
    ]


def decide(case: Case, user: User) -> Verdict:
    with transaction.atomic():
        _, locked = cases.locked(case.pk)
        verdict = cases.decide(locked, Ruling("try_again", "Mended."), user=user)
        runs.release_hold(case.run_id, sentence="on")
    return verdict


def test_who_claims_takes_over_and_lets_go_stands_in_the_history(
    case: Case, first: User, second: User
) -> None:
    working.claim(case.pk, user=first)
    working.claim(case.pk, user=first)
    working.take_over(case.pk, user=second)
    assert not working.release(case.pk, user=first)
    assert working.release(case.pk, user=second)
    assert told(case) == [
        ("case claimed", {}),
        ("case claimed", {"taken_from": "Ada"}),
        ("case released", {}),
    ]


def test_a_verdict_beside_the_claim_of_another_is_refused_until_it_is_taken_over(
    case: Case, first: User, second: User
) -> None:
    working.claim(case.pk, user=first)
    with pytest.raises(HeldByAnotherError, match="held by Ada since"):
        decide(case, second)
    assert not Verdict.objects.exists()
    working.take_over(case.pk, user=second)
    assert decide(case, second).given_by == second


def test_who_holds_it_or_finds_it_free_decides(case: Case, first: User) -> None:
    working.claim(case.pk, user=first)
    decide(case, first)
    assert Claim.objects.get().ended == "settled"
    with pytest.raises(IllegalMoveError, match="decided already"):
        working.claim(case.pk, user=first)


def test_a_claim_that_ran_out_keeps_nobody_from_deciding(
    case: Case, first: User, second: User
) -> None:
    working.claim(case.pk, user=first)
    Claim.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert not working.keep(case, user=first)
    decide(case, second)


def test_a_case_handed_over_is_the_colleagues_who_is_told(
    case: Case, first: User, second: User, settings: Settings
) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    working.claim(case.pk, user=first)
    given = working.hand_over(case.pk, user=first, colleague=second, note="  I have to go. ")
    assert claims.holder(Subject.of_case(case)) == given
    assert told(case)[-1] == ("case handed over", {"to": "Eve"})
    assert Note.objects.get().text == "I have to go."
    row = Notification.objects.get(kind__startswith="case_handed_over")
    assert (row.person, row.text) == (second, "Ada handed a case at Acme over to you.")
    assert row.path == f"/t/acme/cases/{case.pk}/"
    with pytest.raises(HeldByAnotherError):
        decide(case, first)


def test_a_colleague_without_the_right_is_not_handed_anything(case: Case, first: User) -> None:
    with pytest.raises(ClaimRefusedError, match="colleague"):
        working.hand_over(case.pk, user=first, colleague=dee(case.tenant), note="Please.")
    assert not Note.objects.exists()


def test_whoever_is_not_at_it_does_not_stop_the_clock_of_another(
    case: Case, first: User, second: User
) -> None:
    working.claim(case.pk, user=first)
    with pytest.raises(HeldByAnotherError):
        working.wait_outside(case.pk, party="the bank", why="They look.", user=second)


def test_a_verdict_ends_the_wait_for_outside(case: Case, first: User) -> None:
    working.wait_outside(case.pk, party="the bank", why="They look.", user=first)
    decide(case, first)
    wait = OutsideWait.objects.get()
    assert (wait.ended_by, pauses.current(case)) == (first, None)
    assert [what for what, _ in told(case)] == [
        "waits for outside",
        "waits for outside no more",
        "verdict given",
    ]
