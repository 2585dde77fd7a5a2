"""Crossing, many rounds, each side on a connection of its own: one result, and never a quorum of one."""

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from threading import Barrier

import pytest
from django.db import transaction

from approvals import batches, decisions, judging
from approvals.batches import Answer
from approvals.errors import AlreadyDecidedError, NotApprovedError
from approvals.models import Approval, ApprovalRequest, Batch, BatchEntry, Decision, HandOver
from approvals.people import handovers
from checkpoints.models import Event, Run
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tests.approvals import using
from tests.approvals.questions import TWO, approved_by, asked, decide, eve
from tests.approvals.racing import beside
from tests.doorbell import doorbell  # noqa: F401 - autouse: wake-ups ring where nobody listens
from tests.opening import open_all
from tests.people import ada, dee, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 25


def at_once(*sides: Callable[[], str]) -> list[str]:
    """Let all start together; what each was told, in their order."""
    start = Barrier(len(sides))

    def run(side: Callable[[], str]) -> str:
        start.wait()
        return side()

    with beside() as others:
        return [future.result() for future in [others.start(partial(run, each)) for each in sides]]


def dispatch(request: ApprovalRequest) -> str:
    try:
        with transaction.atomic():
            Run.objects.select_for_update().get(pk=request.run_id)
            using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid.uuid4())
    except NotApprovedError as error:
        return f"not sent: {error.code}"
    return "sent"


def withdraw(request: ApprovalRequest, user: User) -> str:
    try:
        decisions.withdraw_approval(request.pk, actor=Actor.person(user), reason="Freeze.")
    except AlreadyDecidedError as error:
        return f"told: {error.state}"
    return "withdrawn"


def take_back(request: ApprovalRequest, user: User) -> str:
    actor = Actor.person(user)
    try:
        decisions.take_back(request.pk, actor=actor, user=user, reason="Too fast.")
    except AlreadyDecidedError as error:
        return f"told: {error.state}"
    return "taken back"


def test_rule_20_withdrawing_wins_or_loses_cleanly_against_dispatch() -> None:
    tenant = make_tenant()
    people = dee(tenant), ada(tenant)
    for _round in range(ROUNDS):
        request = approved_by(asked(), people[0])
        told = at_once(partial(dispatch, request), partial(withdraw, request, people[1]))
        request.refresh_from_db()
        approval = Approval.objects.get(pk=request.pk)
        assert (told, request.state, approval.state) in [
            (["sent", "told: used"], "used", "used"),
            (["not sent: withdrawn", "withdrawn"], "withdrawn", "withdrawn"),
        ]
        verbs = AuditRow.objects.filter(subject=f"request:{request.pk}", verb="withdraw_approval")
        assert verbs.exists() == (request.state == "withdrawn")


def test_rule_20_approve_and_take_back_crossing_never_yield_a_quorum_of_one() -> None:
    tenant = make_tenant()
    first, second = dee(tenant), eve(tenant)
    for _round in range(ROUNDS):
        request = asked(requirement=TWO)
        decide(request, first)
        told = at_once(
            lambda request=request: decide(request, second).state,  # type: ignore[misc]
            partial(take_back, request, first),
        )
        request.refresh_from_db()
        approvals = Approval.objects.filter(pk=request.pk).count()
        assert (told, request.state, approvals) in [
            (["approved", "told: approved"], "approved", 1),
            (["open", "taken back"], "open", 0),
        ]
        assert len(judging.standing(request)) == 1 + approvals
        assert dispatch(request) == ("sent" if approvals else "not sent: open")


def test_rule_20_what_is_withdrawn_while_the_last_yes_comes_is_never_sent() -> None:
    tenant = make_tenant()
    first, second = dee(tenant), eve(tenant)
    for _round in range(ROUNDS):
        request = asked(requirement=TWO)
        decide(request, first)
        told = at_once(
            lambda request=request: decide(request, second).state,  # type: ignore[misc]
            partial(_withdraw_when_there, request, first),
            partial(dispatch, request),
        )
        request.refresh_from_db()
        if told[1] == "withdrawn":
            assert (request.state, told[2] == "sent") == ("withdrawn", False)
        assert (told[2] == "sent") == (request.state == "used")
        assert Decision.objects.filter(request=request).count() == len({first, second})


def test_two_people_on_one_batch_decide_each_question_once() -> None:
    tenant = make_tenant()
    people = dee(tenant), eve(tenant)
    for _round in range(5):
        these = [asked() for _ in range(6)]
        answers = [pairs_of(these), pairs_of(these[::-1])]
        at_once(*(partial(post, given, user) for given, user in zip(answers, people, strict=True)))
        assert Decision.objects.filter(request__in=these).count() == len(these)
        assert Approval.objects.filter(request__in=these, state="unused").count() == len(these)
        counted = BatchEntry.objects.filter(request__in=these, code="")
        left_out = BatchEntry.objects.filter(request__in=these, code="approved")
        assert (counted.count(), left_out.count()) == (len(these), len(these))
        for entry in left_out:
            winner = Decision.objects.get(request=entry.request).user
            assert entry.told == f"{winner} approved it before you pressed."
            assert entry.told_at is not None


def test_a_double_click_on_a_batch_is_one_batch() -> None:
    tenant = make_tenant()
    user, these = dee(tenant), [asked() for _ in range(6)]
    answer = pairs_of(these)
    told = at_once(partial(post, answer, user), partial(post, answer, user))
    assert len(set(told)) == Batch.objects.count() == 1
    assert set(BatchEntry.objects.values_list("code", flat=True)) == {""}
    assert BatchEntry.objects.count() == Decision.objects.count() == len(these)
    assert set(Run.objects.values_list("wakes", flat=True)) == {1}


def test_asking_a_colleague_twice_at_once_is_one_hand_over() -> None:
    tenant = make_tenant()
    giver, taker, request = dee(tenant), eve(tenant), asked()

    def hand() -> str:
        actor = Actor.person(giver)
        given = handovers.hand_over(request.pk, actor=actor, user=giver, colleague=taker)
        return str(given.pk)

    assert len(set(at_once(hand, hand))) == HandOver.objects.count() == 1
    assert Event.objects.filter(what="handed_over").count() == 1


def _withdraw_when_there(request: ApprovalRequest, user: User) -> str:
    try:
        return withdraw(request, user)
    except NotApprovedError:
        return "nothing to withdraw"


def pairs_of(these: Sequence[ApprovalRequest]) -> Answer:
    pairs = tuple((each.pk, each.action_hash) for each in these)
    return Answer(pairs, "approve", "", uuid.UUID(int=1))


def post(answer: Answer, user: User) -> str:
    tenant, actor = make_tenant(), Actor.person(user)
    for request_id, _shown in answer.pairs:
        open_all(request_id, user)
    return str(batches.decide_all(answer, tenant=tenant, actor=actor, user=user).pk)
