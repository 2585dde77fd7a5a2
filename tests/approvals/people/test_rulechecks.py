"""Rules against a tenant's people, before they are used and when a run asks."""

from typing import Any

import pytest
from django.contrib.auth.models import Group

from approvals.people import satisfying
from approvals.people.rulechecks import of_tenant
from approvals.rules import demand_of, read
from tenants import access
from tenants.models import Tenant, User
from tests.approvals.questions import eve, make_run
from tests.approvals.rulebooks import PLAIN, TWO_ROLES, book
from tests.people import ada, bob, dee, make_tenant

pytestmark = pytest.mark.django_db
UNPROVED = {**TWO_ROLES, "reauthenticate": False}


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def wrong(tenant: Tenant, *rules: Any) -> dict[str, str]:
    return {each.path: each.said for each in of_tenant(book(*rules), tenant)[0]}


def risky(tenant: Tenant, *rules: Any) -> list[str]:
    return [each.said for each in of_tenant(book(*rules), tenant)[1]]


def by(who: Any, people: int = 1) -> dict[str, Any]:
    return {**PLAIN, "who": who, "people": people}


def test_rules_whose_people_are_there_can_be_used(tenant: Tenant) -> None:
    dee(tenant), bob(tenant)
    assert of_tenant(book(PLAIN), tenant) == ([], [])


def test_a_tenant_without_anybody_who_decides_is_refused(tenant: Tenant) -> None:
    """A22: nobody is never enough."""
    said = wrong(tenant, PLAIN)["/rules/0"]
    assert said.startswith("The rule “a-person” asks 1 with the right approve_actions")
    assert said.endswith("there are none.")


def test_a_group_that_is_not_there_empty_or_without_the_right_is_refused(tenant: Tenant) -> None:
    dee(tenant)
    rule = by({"group": "treasury"})
    at = "/rules/0/who/group"
    assert wrong(tenant, rule) == {at: "There is no group “treasury”."}
    group = Group.objects.create(name="treasury")
    assert wrong(tenant, rule) == {at: "Nobody of the group “treasury” may decide here."}
    group.user_set.add(eve(make_tenant("other")))
    assert wrong(tenant, rule) == {at: "Nobody of the group “treasury” may decide here."}
    group.user_set.add(dee())
    assert wrong(tenant, rule) == {}


def test_people_by_name_are_refused_one_by_one_with_the_reason(tenant: Tenant) -> None:
    dee(tenant), bob(tenant)
    User.objects.filter(pk=eve(tenant).pk).update(is_active=False)
    rule = by({"named": ["Dee@example.org", "no@x", "bob@example.org", "eve@example.org"]})
    assert wrong(tenant, rule) == {
        "/rules/0/who/named/1": "There is nobody called no@x.",
        "/rules/0/who/named/2": "bob@example.org may not decide here.",
        "/rules/0/who/named/3": "eve@example.org is not active.",
    }


def test_places_of_a_quorum_are_named_by_number(tenant: Tenant) -> None:
    dee(tenant), eve(tenant)
    assert list(wrong(tenant, UNPROVED)) == ["/rules/0/quorum/0/who/group"]


def test_two_roles_of_one_person_cannot_be_filled(tenant: Tenant) -> None:
    Group.objects.create(name="treasury").user_set.add(eve(tenant))
    said = wrong(tenant, UNPROVED)["/rules/0"]
    assert "2 different people" in said


def test_the_only_person_of_a_tenant_cannot_approve_what_they_start(tenant: Tenant) -> None:
    """A23: found at save, not in production."""
    ada(tenant)
    assert wrong(tenant, PLAIN)["/rules/0"].startswith("Whoever starts a run: The rule “a-person”")
    dee(tenant)
    assert of_tenant(book(PLAIN), tenant) == ([], [])


def test_a_starter_who_would_be_missed_is_a_warning(tenant: Tenant) -> None:
    ada(tenant)
    access.grant(tenant, bob(tenant), "operate_runs")
    assert wrong(tenant, PLAIN) == {}
    assert risky(tenant, PLAIN)[0].startswith("If ada@example.org starts a run: The rule")


def test_rules_of_other_tenants_and_denies_ask_nobody(tenant: Tenant) -> None:
    deny = {"name": "no", "tool": "pay", "then": "deny", "because": "No."}
    assert of_tenant(book({**PLAIN, "tenants": ["other"]}, deny), tenant) == ([], [])


def test_the_first_schema_is_checked_too(tenant: Tenant) -> None:
    rule = {
        "tool": "pay",
        "then": "ask",
        "approvers": 1,
        "not_starter": True,
        "permission": "approve_actions",
        "expires_after_seconds": 60,
    }
    document = {"rules_schema": 1, "rules": [rule]}
    assert of_tenant(document, tenant)[0][0].said.startswith("The rules ask 1")


def test_a_run_hears_which_rule_its_people_cannot_satisfy(tenant: Tenant) -> None:
    run, demand = make_run(tenant), demand_of(read(book(PLAIN)), "")
    assert satisfying.impossible(demand, run).startswith("The rule “a-person” asks 1")
    dee(tenant)
    assert satisfying.impossible(demand, run) == ""
    run.on_behalf_of = "DEE@example.org"
    assert satisfying.impossible(demand, run) != ""
