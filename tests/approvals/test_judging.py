"""Whose yes counts, and what the stored bytes must say."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F

from approvals import hashing, judging
from approvals.errors import DamagedRequestError
from approvals.models import ApprovalRequest, Decision
from tenants import access
from tenants.models import User
from tests.approvals.questions import TWO, asked, decide, eve, make_due, tamper
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


def test_eligible_are_active_holders_without_a_hand_in_the_run() -> None:
    tenant = make_tenant()
    request = asked()
    ada(tenant), bob(tenant), cy(), dee(tenant), eve(make_tenant("other"))
    assert judging.eligible(request) == [dee()]
    access.grant(tenant, eve(), "approve_actions", "view_runs")
    assert judging.eligible(request) == [dee()]
    access.grant(tenant, eve(), "read_payloads")
    assert judging.eligible(request) == [dee(), eve()]
    User.objects.filter(pk=dee().pk).update(is_active=False)
    assert judging.eligible(request) == [eve()]


def test_an_empty_group_satisfies_nothing() -> None:
    request = asked()
    assert judging.eligible(request) == []
    assert not judging.is_enough(request)


def test_only_a_standing_yes_counts() -> None:
    tenant = make_tenant()
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    assert judging.standing(request) == {dee().pk}
    assert not judging.is_enough(request)
    access.revoke(tenant, dee(), "approve_actions")
    assert judging.standing(request) == set()


def test_a_no_is_never_counted_as_a_yes() -> None:
    request, user = asked(), dee(make_tenant())
    Decision.objects.create(
        request=request, user=user, verdict="reject", reason="No.", posted_hash="0" * 64
    )
    assert judging.standing(request) == set()


def test_a_request_that_only_waited_is_intact() -> None:
    request = asked()
    make_due(request)
    assert judging.bound_of(ApprovalRequest.objects.get()).action_id == str(request.action_id)


def test_a_moved_expiry_is_damage() -> None:
    request = asked()
    tamper(request, expires_at=F("expires_at") + timedelta(days=1))
    with pytest.raises(DamagedRequestError):
        judging.bound_of(request)


@pytest.mark.parametrize(
    "other",
    [
        {"tenant": 999},
        {"run_id": "00000000-0000-0000-0000-000000000009"},
        {"action_id": "00000000-0000-0000-0000-000000000008"},
        {"tool": "mail.send"},
        {"nonce": "other"},
        {"expires_at": "2031-05-06T07:08:09.000010+00:00"},
        {"parameters_digest": "7" * 64},
        {"diff_digest": "8" * 64},
    ],
)
def test_bytes_that_are_about_something_else_are_damage(other: dict[str, Any]) -> None:
    """Bytes and hash agree with each other, but not with the row they stand in."""
    request = asked()
    bound = replace(judging.bound_of(request), **other)
    tamper(request, bound=hashing.bound_bytes(bound), action_hash=hashing.action_hash(bound))
    with pytest.raises(DamagedRequestError):
        judging.bound_of(request)


def test_another_hash_than_that_of_the_bytes_is_damage() -> None:
    """The database refuses it too; a restored or repaired table may have lost that constraint."""
    request = asked()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "ALTER TABLE approvals_approvalrequest DROP CONSTRAINT action_hash_is_of_what_is_bound"
        )
    tamper(request, action_hash="0" * 64)
    with pytest.raises(DamagedRequestError):
        judging.bound_of(request)
