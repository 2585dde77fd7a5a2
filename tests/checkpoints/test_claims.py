"""Claims: at most one person is at a case or a problem, on the database's clock."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from checkpoints import claims
from checkpoints.claims import PROBLEM, Subject
from checkpoints.errors import ClaimRefusedError, HeldByAnotherError
from checkpoints.models import Claim
from tenants.models import AuditRow, Tenant, User
from tests.checkpoints.records import refused
from tests.people import ada, bob, cy, eve, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def subject(tenant: Tenant) -> Subject:
    return Subject(tenant, PROBLEM, "f" * 64)


@pytest.fixture
def first(tenant: Tenant) -> User:
    return ada(tenant)


@pytest.fixture
def second(tenant: Tenant) -> User:
    return eve(tenant)


def lapse() -> None:
    """Let every lease be over, by the database's clock."""
    Claim.objects.filter(ended="").update(lease_until=Now() - timedelta(seconds=1))


def test_who_claims_holds_it_and_the_trail_says_so(subject: Subject, first: User) -> None:
    assert claims.holder(subject) is None
    made = claims.claim(subject, user=first)
    assert claims.holder(subject) == made
    assert claims.standing(subject.tenant, PROBLEM, [subject.key, "x"]) == {subject.key: made}
    row = AuditRow.objects.get(verb="claim")
    assert (row.actor_id, row.subject) == (str(first.pk), f"problem {'f' * 64}")


def test_claimed_again_by_its_holder_it_is_one_claim(subject: Subject, first: User) -> None:
    assert claims.claim(subject, user=first) == claims.claim(subject, user=first)
    assert Claim.objects.count() == 1


def test_what_another_holds_is_not_claimed_but_taken_over(
    subject: Subject, first: User, second: User
) -> None:
    theirs = claims.claim(subject, user=first)
    with pytest.raises(HeldByAnotherError, match="held by Ada") as held:
        claims.claim(subject, user=second)
    assert held.value.claim == theirs
    mine = claims.take_over(subject, user=second)
    assert (mine.holder, mine.taken_from) == (second, first)
    assert Claim.objects.get(pk=theirs.pk).ended == "taken_over"
    assert AuditRow.objects.get(verb="take over").detail == {"taken_from": "Ada"}


def test_only_the_claim_that_was_seen_is_taken_over(
    subject: Subject, first: User, second: User
) -> None:
    seen = claims.claim(subject, user=first)
    claims.release(subject, user=first)
    claims.claim(subject, user=first)
    with pytest.raises(HeldByAnotherError, match="held by Ada"):
        claims.take_over(subject, user=second, seen=seen.pk)


def test_taking_over_what_nobody_or_oneself_holds_is_claiming(
    subject: Subject, first: User
) -> None:
    mine = claims.take_over(subject, user=first)
    assert mine.taken_from is None
    assert claims.take_over(subject, user=first) == mine
    assert not AuditRow.objects.filter(verb="take over").exists()


def test_a_heartbeat_keeps_what_is_held(subject: Subject, first: User) -> None:
    made = claims.claim(subject, user=first)
    Claim.objects.update(lease_until=Now() + timedelta(seconds=5))
    assert claims.keep(subject, user=first)
    made.refresh_from_db()
    assert made.lease_until - made.since > timedelta(minutes=14)


def test_a_heartbeat_of_who_does_not_hold_it_changes_nothing(
    subject: Subject, first: User, second: User
) -> None:
    before = claims.claim(subject, user=first).lease_until
    assert not claims.keep(subject, user=second)
    assert Claim.objects.get().lease_until == before


def test_a_lease_that_is_over_is_free_and_not_brought_back(
    subject: Subject, first: User, second: User
) -> None:
    claims.claim(subject, user=first)
    lapse()
    assert claims.holder(subject) is None
    assert not claims.keep(subject, user=first)
    with transaction.atomic():
        claims.refuse_if_anothers(subject, user=second)
    assert claims.claim(subject, user=second).taken_from is None
    assert list(Claim.objects.order_by("id").values_list("ended", flat=True)) == ["expired", ""]


def test_who_lets_go_leaves_it_free(subject: Subject, first: User, second: User) -> None:
    claims.claim(subject, user=first)
    assert not claims.release(subject, user=second)
    assert claims.holder(subject) is not None
    assert claims.release(subject, user=first)
    assert claims.holder(subject) is None


def test_what_is_handed_over_is_the_colleagues_for_longer(
    subject: Subject, first: User, second: User
) -> None:
    mine = claims.claim(subject, user=first)
    theirs = claims.hand_over(subject, user=first, colleague=second)
    assert (theirs.holder, theirs.handed_by) == (second, first)
    assert theirs.lease_until > mine.lease_until + timedelta(minutes=30)
    assert Claim.objects.get(pk=mine.pk).ended == "handed_over"
    assert AuditRow.objects.get(verb="hand over").detail == {"to": "Eve"}


def test_the_claim_of_another_is_not_handed_over(
    subject: Subject, first: User, second: User
) -> None:
    claims.claim(subject, user=first)
    with pytest.raises(HeldByAnotherError):
        claims.hand_over(subject, user=second, colleague=first)


def test_only_who_has_the_right_claims_keeps_or_is_handed_it(
    subject: Subject, first: User, tenant: Tenant
) -> None:
    for nobody in (bob(tenant), cy(), eve(make_tenant("other"))):
        for verb in (claims.claim, claims.take_over):
            with pytest.raises(ClaimRefusedError, match="right"):
                verb(subject, user=nobody)
        with pytest.raises(ClaimRefusedError, match="colleague"):
            claims.hand_over(subject, user=first, colleague=nobody)
    with pytest.raises(ClaimRefusedError, match="colleague"):
        claims.hand_over(subject, user=first, colleague=first)
    assert not Claim.objects.exists()


def test_another_tenants_claim_is_another_claim(subject: Subject) -> None:
    other = make_tenant("other")
    both = ada(subject.tenant, other)
    claims.claim(subject, user=eve(subject.tenant))
    assert claims.claim(Subject(other, PROBLEM, subject.key), user=both).tenant == other


def test_acting_beside_a_live_claim_is_refused_to_everybody_else(
    subject: Subject, first: User, second: User
) -> None:
    claims.claim(subject, user=first)
    with transaction.atomic():
        claims.refuse_if_anothers(subject, user=first)
    with transaction.atomic(), pytest.raises(HeldByAnotherError):
        claims.refuse_if_anothers(subject, user=second)


def test_what_is_settled_is_nobodys(subject: Subject, first: User) -> None:
    assert not claims.settle(subject)
    claims.claim(subject, user=first)
    assert claims.settle(subject)
    assert Claim.objects.get().ended == "settled"


def test_the_database_refuses_a_second_live_claim(subject: Subject, first: User) -> None:
    made = claims.claim(subject, user=first)
    made.pk = None
    with pytest.raises(IntegrityError, match="one_live_claim_per_subject"):
        made.save(force_insert=True)


def test_the_database_refuses_to_change_or_delete_a_claim(
    subject: Subject, first: User, second: User
) -> None:
    claims.claim(subject, user=first)
    with refused("a_claim_ends_once"):
        Claim.objects.update(holder=second)
    with refused("DELETE of checkpoints_claim refused"):
        Claim.objects.all().delete()
    claims.release(subject, user=first)
    with refused("a_claim_ends_once"):
        Claim.objects.update(ended="", ended_at=None)
