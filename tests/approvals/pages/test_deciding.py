"""Before the click: who has decided and how, what is missing, who can still give it, why not me."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from approvals.models import ApprovalRequest
from approvals.rules import Quorum, Slot, Who
from approvals.rules.people import ANYBODY, GROUP, NAMED
from tenants import access
from tenants.models import Tenant, User
from tests.approvals.asking import address, asked_about, git_diff, signed_in
from tests.approvals.questions import ONE, TWO, approved_by, decide, eve
from tests.people import ada, bob, dee, make_tenant

pytestmark = pytest.mark.django_db

FINANCE = Quorum("large", (Slot(Who(GROUP, ("finance",)), 1), Slot(ANYBODY, 1)))
BY_NAME = Quorum("named", (Slot(Who(NAMED, ("eve@example.org",)), 1),))


@pytest.fixture
def tenant() -> Tenant:
    tenant = make_tenant()
    dee(tenant)
    return tenant


def in_finance(user: User) -> User:
    Group.objects.get_or_create(name="finance")[0].user_set.add(user)
    return user


def decision(user: User, asked: ApprovalRequest) -> str:
    """The decision column as text."""
    html = signed_in(user).get(address(asked)).content.decode()
    column = html.split('id="decision-column"')[1]
    return " ".join(column.split())


def test_each_part_says_who_counts_who_gave_it_and_who_still_can(tenant: Tenant) -> None:
    two = replace(TWO, quorums=(FINANCE,), rules=("large",))
    finance, third = in_finance(eve(tenant)), ada(tenant)
    asked = asked_about(git_diff(2), requirement=two)
    mine = decision(finance, asked)
    assert "1 person of the group finance" in mine
    assert "1 person who may decide" in mine
    assert "1 missing, from <strong>you</strong>" in mine
    decide(asked, finance)
    theirs = decision(dee(), asked)
    assert "given by Eve" in theirs
    assert "1 of 2 yes" in theirs
    assert "1 missing, from <strong>you</strong>" in theirs
    assert "given by you" in decision(finance, asked)
    assert "so somebody else must decide" in decision(third, asked)


def test_who_is_not_asked_reads_that_the_rules_ask_for_others(tenant: Tenant) -> None:
    eve(tenant)
    asked = asked_about(git_diff(2), requirement=replace(ONE, quorums=(BY_NAME,)))
    mine = decision(dee(), asked)
    assert "The rules ask for other people here: those named above." in mine
    assert "1 person out of: eve@example.org" in mine
    assert 'name="verdict"' not in mine
    assert 'name="verdict"' in decision(eve(), asked)


def test_too_few_people_for_the_demand_is_said_before_anybody_waits(tenant: Tenant) -> None:
    asked = asked_about(git_diff(2), requirement=TWO)
    assert "All who can still decide are too few." in decision(dee(), asked)
    eve(tenant)
    assert "All who can still decide are too few." not in decision(dee(), asked)


def test_a_yes_whose_right_is_gone_is_not_counted_on_the_page(tenant: Tenant) -> None:
    asked = asked_about(git_diff(2), requirement=TWO)
    decide(asked, eve(tenant))
    assert "1 of 2 yes" in decision(dee(), asked)
    access.revoke(tenant, eve(), "approve_actions")
    assert "0 of 2 yes" in decision(dee(), asked)


def test_what_is_approved_and_not_sent_ages_on_its_page(tenant: Tenant) -> None:
    asked = approved_by(asked_about(git_diff(2)), dee())
    fresh = decision(bob(tenant), asked)
    assert "and not sent." in fresh
    assert "something holds it" not in fresh
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "UPDATE approvals_approvalrequest SET closed_at = closed_at - interval '2 hours'"
        )
        cursor.execute("SET session_replication_role = DEFAULT")
    late = decision(bob(tenant), asked)
    assert "Approved for 2 h, and not sent." in late
    assert "something holds it" in late
