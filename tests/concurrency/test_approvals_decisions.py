"""Rule 20 and its kin: people deciding, taking back, withdrawing and the clock, all at once."""

from dataclasses import replace
from functools import partial
from threading import Barrier

import pytest
from django.db import transaction

from approvals import clock, decisions, requests
from approvals.errors import AlreadyDecidedError, HashMismatchError, NotPermittedError
from approvals.models import Approval, ApprovalRequest, Decision
from checkpoints.models import Run
from tenants import access
from tenants.actors import Actor
from tenants.models import User
from tests.approvals.questions import (
    TWO,
    WORKER,
    approved_by,
    ask,
    asked,
    decide,
    eve,
    expire_in,
    make_due,
    make_question,
    make_run,
)
from tests.approvals.racing import beside, run_locked, until
from tests.doorbell import doorbell  # noqa: F401 - autouse: wake-ups ring where nobody listens
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


def take_back(request: ApprovalRequest, user: User) -> ApprovalRequest:
    return decisions.take_back(request.id, actor=Actor.person(user), user=user, reason="Too fast.")


def test_rule_20_a_yes_taken_back_meanwhile_is_not_counted() -> None:
    tenant = make_tenant()
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    second = eve(tenant)
    with beside() as side:
        with transaction.atomic():
            take_back(request, dee())
            deciding = side.start_and_block(partial(decide, request, second))
        assert deciding.result().state == "open"
    assert Decision.objects.count() == 2
    assert not Approval.objects.exists()


def test_rule_20_a_yes_cannot_be_taken_back_once_it_was_counted() -> None:
    tenant = make_tenant()
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    with beside() as side:
        with transaction.atomic():
            decide(request, eve(tenant))
            taking = side.start_and_block(partial(take_back, request, dee()))
        with pytest.raises(AlreadyDecidedError) as refused:
            taking.result()
    assert (refused.value.state, refused.value.by) == ("approved", "Eve")
    assert Approval.objects.get().state == "unused"


def test_rule_20_a_right_lost_meanwhile_does_not_count() -> None:
    tenant = make_tenant()
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    second = eve(tenant)
    with beside() as side:
        with run_locked(request.run_id):
            deciding = side.start_and_block(partial(decide, request, second))
            access.revoke(tenant, dee(), "approve_actions")
        assert deciding.result().state == "open"
    assert not Approval.objects.exists()


def test_who_loses_the_right_while_waiting_does_not_decide() -> None:
    tenant = make_tenant()
    request, user = asked(), dee(tenant)
    with beside() as side:
        with run_locked(request.run_id):
            deciding = side.start_and_block(partial(decide, request, user))
            User.objects.filter(pk=user.pk).update(is_active=False)
        with pytest.raises(NotPermittedError):
            deciding.result()
    assert not Decision.objects.exists()


def test_of_two_who_decide_at_once_the_second_hears_of_the_first() -> None:
    tenant = make_tenant()
    request, people = asked(), (dee(tenant), eve(tenant))
    with beside() as side:
        with run_locked(request.run_id):
            first = side.start_and_block(partial(decide, request, people[0], "reject", "No."))
            second = side.start_and_block(partial(decide, request, people[1]), blocked=2)
        assert first.result().state == "rejected"
        with pytest.raises(AlreadyDecidedError) as refused:
            second.result()
    told, stored = refused.value, Decision.objects.get()
    assert (told.state, told.by, stored.user) == ("rejected", "Dee", people[0])
    assert told.at == ApprovalRequest.objects.get().closed_at


@pytest.mark.parametrize("_round", range(5))
def test_of_many_who_decide_at_once_one_approves(_round: int) -> None:
    tenant = make_tenant()
    request = asked()
    people = [dee(tenant), eve(tenant)] * 4
    start = Barrier(len(people))

    def race(user: User) -> str:
        start.wait()
        try:
            return decide(request, user).state
        except AlreadyDecidedError as error:
            return f"told of {error.by}"

    with beside() as side:
        told = [future.result() for future in [side.start(partial(race, user)) for user in people]]
    winner = Decision.objects.get().user.name
    assert sorted(told) == ["approved"] * 4 + [f"told of {winner}"] * 4
    assert Approval.objects.count() == 1
    assert Run.objects.get().wakes == 1


def test_a_double_click_at_once_is_one_decision() -> None:
    request, user = asked(), dee(make_tenant())
    with beside() as side:
        with run_locked(request.run_id):
            first = side.start_and_block(partial(decide, request, user))
            second = side.start_and_block(partial(decide, request, user), blocked=2)
        assert [first.result().state, second.result().state] == ["approved", "approved"]
    assert Decision.objects.count() == Approval.objects.count() == 1
    assert Run.objects.get().wakes == 1


def test_who_decides_while_the_run_withdraws_is_told() -> None:
    request, user = asked(), dee(make_tenant())
    with beside() as side:
        with transaction.atomic():
            requests.withdraw(request.action_id, actor=WORKER, reason="Run cancelled.")
            deciding = side.start_and_block(partial(decide, request, user))
        with pytest.raises(AlreadyDecidedError) as refused:
            deciding.result()
    assert (refused.value.state, refused.value.by) == ("withdrawn", "worker-1")
    assert not Decision.objects.exists()


def test_a_withdrawal_that_comes_second_takes_the_approval_too() -> None:
    request = asked()
    withdraw = partial(requests.withdraw, request.action_id, actor=WORKER, reason="Run cancelled.")
    with beside() as side:
        with transaction.atomic():
            decide(request, dee(make_tenant()))
            withdrawing = side.start_and_block(withdraw)
        withdrawn = withdrawing.result()
    assert withdrawn is not None
    assert (withdrawn.state, Approval.objects.get().state) == ("withdrawn", "withdrawn")


def test_who_decides_while_the_sweeper_closes_is_told() -> None:
    request, user = asked(), dee(make_tenant())
    make_due(request)
    with beside() as side:
        with transaction.atomic():
            assert requests.expire_due(10) == 1
            deciding = side.start_and_block(partial(decide, request, user))
        with pytest.raises(AlreadyDecidedError) as refused:
            deciding.result()
    assert refused.value.state == "expired"
    assert not Decision.objects.exists()


@pytest.mark.parametrize("held", ["run", "request"])
def test_time_that_runs_out_while_waiting_for_the_lock_counts(held: str) -> None:
    """Rule 4b: a condition judged before the wait would let the late decision through."""
    request, user = asked(), dee(make_tenant())
    expire_in(request, seconds=0.5)
    rows = {
        "run": Run.objects.filter(pk=request.run_id),
        "request": ApprovalRequest.objects.filter(pk=request.pk),
    }
    with beside() as side:
        with transaction.atomic():
            rows[held].select_for_update().get()
            deciding = side.start_and_block(partial(decide, request, user))
            until(lambda: clock.now() > request.expires_at)
        with pytest.raises(AlreadyDecidedError) as refused:
            deciding.result()
    assert refused.value.state == "expired"
    assert not Decision.objects.exists()


def test_the_sweeper_waits_for_nobody_and_comes_round_again() -> None:
    request, user = asked(seconds=1), dee(make_tenant())
    with beside() as side:
        with transaction.atomic():
            decide(request, user)
            until(lambda: clock.now() > request.expires_at)
            assert side.finish(partial(requests.expire_due, 10)) == 0
        assert requests.expire_due(10) == 1
    assert Approval.objects.get().state == "expired"


def test_two_sweepers_close_a_request_once() -> None:
    make_due(asked())
    with beside() as side, transaction.atomic():
        assert requests.expire_due(10) == 1
        assert side.finish(partial(requests.expire_due, 10)) == 0
    assert Run.objects.get().wakes == 1


def test_sweepers_at_once_close_each_request_once() -> None:
    for _ in range(12):
        make_due(asked())
    start = Barrier(2)

    def sweep() -> int:
        start.wait()
        return requests.expire_due(20)

    with beside() as side:
        closed = [future.result() for future in [side.start(sweep) for _ in range(2)]]
    left = requests.expire_due(20)  # what the two skipped because the other held it
    assert sum(closed) + left == 12
    assert set(Run.objects.values_list("wakes", flat=True)) == {1}


def test_the_same_question_asked_at_once_is_one_request() -> None:
    question = make_question(make_run())
    start = Barrier(4)

    def race() -> ApprovalRequest:
        start.wait()
        return ask(question)

    with beside() as side:
        found = {future.result().id for future in [side.start(race) for _ in range(4)]}
    assert len(found) == ApprovalRequest.objects.count() == 1


def test_who_decides_while_the_question_changes_sees_what_moved() -> None:
    question = make_question(make_run())
    old, user = ask(question), dee(make_tenant())
    moved = replace(question.bound, diff_digest=question.bound.diff_digest, rules_version="s" * 64)
    with beside() as side:
        with transaction.atomic():
            new = ask(replace(question, bound=moved))
            deciding = side.start_and_block(partial(decide, old, user))
        with pytest.raises(HashMismatchError) as refused:
            deciding.result()
    assert refused.value.request_id == new.id
    assert "rules_version" in {difference.field for difference in refused.value.differences}
    assert not Approval.objects.exists()
    assert approved_by(new, user).state == "approved"
