"""Of two who want to be at the same thing one is, and a verdict meets the claim under one lock."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction
from django.db.models.functions import Now

from checkpoints import claims
from checkpoints.claims import PROBLEM, Subject
from checkpoints.desk import working
from checkpoints.errors import HeldByAnotherError, IllegalMoveError
from checkpoints.models import Case, Claim, Verdict
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tenants.access import grant
from tenants.models import Tenant, User
from tests.approvals.racing import beside
from tests.people import ada, eve, make_tenant
from tests.reconciliation.deskwork import held

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def subject(tenant: Tenant) -> Subject:
    return Subject(tenant, PROBLEM, "f" * 64)


@pytest.fixture
def case(tenant: Tenant) -> Case:
    return held(tenant, "crash_loop")


def give(case: Case, user: User) -> Verdict:
    given = verdicts.give(case.pk, Given("try_again", "Mended."), user=user)
    assert isinstance(given, Verdict)
    return given


def live() -> list[User]:
    return [claim.holder for claim in Claim.objects.filter(ended="").select_related("holder")]


def test_of_two_who_claim_at_once_one_holds_it_and_the_other_is_told(subject: Subject) -> None:
    first, second = ada(subject.tenant), eve(subject.tenant)
    with beside() as side:
        with transaction.atomic():
            claims.claim(subject, user=first)
            waiting = side.start_and_block(partial(claims.claim, subject, user=second))
        with pytest.raises(HeldByAnotherError, match="held by Ada"):
            waiting.result()
    assert live() == [first]


def test_of_two_who_claim_what_ran_out_one_holds_it(subject: Subject) -> None:
    first, second = ada(subject.tenant), eve(subject.tenant)
    claims.claim(subject, user=first)
    Claim.objects.update(lease_until=Now() - timedelta(seconds=1))
    with beside() as side:
        with transaction.atomic():
            claims.claim(subject, user=first)
            waiting = side.start_and_block(partial(claims.claim, subject, user=second))
        with pytest.raises(HeldByAnotherError):
            waiting.result()
    assert live() == [first]


def test_of_two_who_take_over_at_once_the_second_is_asked_anew(subject: Subject) -> None:
    first, second = ada(subject.tenant), eve(subject.tenant)
    third = _third(subject.tenant)
    claims.claim(subject, user=first)
    with beside() as side:
        with transaction.atomic():
            claims.take_over(subject, user=second)
            waiting = side.start_and_block(partial(claims.take_over, subject, user=third))
        with pytest.raises(HeldByAnotherError, match="held by Eve"):
            waiting.result()
    assert live() == [second]


def test_a_heartbeat_that_comes_while_it_is_taken_over_keeps_nothing(subject: Subject) -> None:
    first, second = ada(subject.tenant), eve(subject.tenant)
    claims.claim(subject, user=first)
    with beside() as side:
        with transaction.atomic():
            claims.take_over(subject, user=second)
            waiting = side.start_and_block(partial(claims.keep, subject, user=first))
        assert waiting.result() is False
    assert live() == [second]


def test_a_verdict_that_waits_while_the_case_is_taken_over_is_refused(case: Case) -> None:
    first, second = ada(case.tenant), eve(case.tenant)
    working.claim(case.pk, user=first)
    with beside() as side:
        with transaction.atomic():
            working.take_over(case.pk, user=second)
            waiting = side.start_and_block(partial(give, case, first))
        with pytest.raises(HeldByAnotherError, match="held by Eve"):
            waiting.result()
    assert not Verdict.objects.exists()


def test_who_claims_while_a_verdict_is_given_is_told_that_it_is_decided(case: Case) -> None:
    first, second = ada(case.tenant), eve(case.tenant)
    with beside() as side:
        with transaction.atomic():
            give(case, first)
            waiting = side.start_and_block(partial(working.claim, case.pk, user=second))
        with pytest.raises(IllegalMoveError, match="decided already by Ada"):
            waiting.result()
    assert live() == []


def test_what_a_verdict_judged_free_is_not_taken_before_it_is_given(subject: Subject) -> None:
    """The row stays locked until the verb has committed."""
    first, second = ada(subject.tenant), eve(subject.tenant)
    claims.claim(subject, user=first)
    with beside() as side:
        with transaction.atomic():
            claims.refuse_if_anothers(subject, user=first)
            waiting = side.start_and_block(partial(claims.take_over, subject, user=second))
            claims.settle(subject)
        assert waiting.result().taken_from is None
    assert live() == [second]


def _third(tenant: Tenant) -> User:
    third = User.objects.create_user("fay@example.org", name="Fay")
    grant(tenant, third, "reconcile_actions", "operate_runs")
    return third
