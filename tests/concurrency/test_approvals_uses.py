"""Dispatch against everybody else: one effect per approval, judged after the wait for the lock."""

import uuid
from functools import partial
from threading import Barrier

import pytest
from django.db import transaction
from django.db.transaction import TransactionManagementError

from approvals import clock, decisions
from approvals.errors import AlreadyDecidedError, NotApprovedError
from approvals.models import Approval, ApprovalRequest
from checkpoints.models import Run
from tenants import access
from tenants.models import User
from tests.approvals import using
from tests.approvals.questions import WORKER, approved_by, asked, expire_in
from tests.approvals.racing import beside, run_locked, until
from tests.doorbell import doorbell  # noqa: F401 - autouse: wake-ups ring where nobody listens
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def request_() -> ApprovalRequest:
    return approved_by(asked(), dee(make_tenant()))


def dispatch(request: ApprovalRequest, *, lock_the_run: bool = True) -> Approval:
    """What the ledger does, as far as permission is concerned."""
    with transaction.atomic():
        if lock_the_run:
            Run.objects.select_for_update().get(pk=request.run_id)
        return using.use(
            request.action_id, expected_hash=request.action_hash, attempt_id=uuid.uuid4()
        )


def outcome(request: ApprovalRequest, start: Barrier, *, lock_the_run: bool) -> str:
    start.wait()
    try:
        return dispatch(request, lock_the_run=lock_the_run).state
    except NotApprovedError as error:
        return f"refused: {error.code}"


# Without the lock of the run, as a caller with a fault would: request and approval still hold.
@pytest.mark.parametrize("lock_the_run", [True, False])
def test_an_approval_is_used_by_one_of_many_at_once(
    request_: ApprovalRequest, lock_the_run: bool
) -> None:
    start = Barrier(8)
    race = partial(outcome, request_, start, lock_the_run=lock_the_run)
    with beside() as side:
        told = [future.result() for future in [side.start(race) for _ in range(8)]]
    assert sorted(told) == ["refused: used"] * 7 + ["used"]


def test_it_is_used_only_inside_a_transaction(request_: ApprovalRequest) -> None:
    with pytest.raises(TransactionManagementError):
        using.use(request_.action_id, expected_hash=request_.action_hash, attempt_id=uuid.uuid4())


def test_a_dispatch_that_rolls_back_leaves_the_approval_unused(
    request_: ApprovalRequest,
) -> None:
    with transaction.atomic():
        dispatch(request_)
        transaction.set_rollback(True)
    request_.refresh_from_db()
    assert (request_.state, Approval.objects.get().state) == ("approved", "unused")
    assert dispatch(request_).state == "used"


def test_what_is_on_its_way_cannot_be_withdrawn(request_: ApprovalRequest) -> None:
    withdraw = partial(decisions.withdraw_approval, request_.id, actor=WORKER, reason="Freeze.")
    with beside() as side:
        with transaction.atomic():
            dispatch(request_)
            withdrawing = side.start_and_block(withdraw)
        with pytest.raises(AlreadyDecidedError) as refused:
            withdrawing.result()
    assert refused.value.state == "used"
    assert Approval.objects.get().state == "used"


def test_a_dispatch_behind_a_withdrawal_sends_nothing(request_: ApprovalRequest) -> None:
    with beside() as side:
        with transaction.atomic():
            decisions.withdraw_approval(request_.id, actor=WORKER, reason="Freeze.")
            dispatching = side.start_and_block(partial(dispatch, request_))
        with pytest.raises(NotApprovedError) as refused:
            dispatching.result()
    assert refused.value.code == "withdrawn"


@pytest.mark.parametrize("lost", ["right", "account"])
def test_rule_20_dispatch_recounts_who_still_stands_by_it(
    request_: ApprovalRequest, lost: str
) -> None:
    with beside() as side:
        with run_locked(request_.run_id):
            dispatching = side.start_and_block(partial(dispatch, request_))
            if lost == "right":
                access.revoke(make_tenant(), dee(), "approve_actions")
            else:
                User.objects.filter(pk=dee().pk).update(is_active=False)
        with pytest.raises(NotApprovedError) as refused:
            dispatching.result()
    assert refused.value.code == "too_few_approvers"


@pytest.mark.parametrize("table", [ApprovalRequest, Approval])
def test_time_that_runs_out_while_waiting_for_the_lock_counts(
    request_: ApprovalRequest, table: type[ApprovalRequest] | type[Approval]
) -> None:
    """Rule 4b: somebody merely holds the row; its guard is not judged again when it is let go."""
    expire_in(request_, seconds=0.5)
    with beside() as side:
        with transaction.atomic():
            table._default_manager.select_for_update().get(pk=request_.pk)
            dispatching = side.start_and_block(partial(dispatch, request_))
            until(lambda: clock.now() > request_.expires_at)
        with pytest.raises(NotApprovedError) as refused:
            dispatching.result()
    assert refused.value.code == "expired"
    assert Approval.objects.get().state == "unused"
