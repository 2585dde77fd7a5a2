"""Groups, names and roles that must differ, judged of real people under the locks."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from approvals import judging
from approvals.errors import NotApprovedError, NotPermittedError
from approvals.models import ApprovalRequest, Decision
from approvals.people import deciders
from approvals.people.standings import standing_of
from approvals.rules import Quorum, Requirement, Slot, UnreadableRulesError, Who
from tenants import access
from tenants.database import execute
from tenants.models import Tenant, User
from tests.approvals import using
from tests.approvals.questions import (
    DAY,
    ONE,
    TWO,
    approved_by,
    ask,
    asked,
    decide,
    eve,
    make_question,
    make_run,
)
from tests.people import ada, dee, make_tenant

pytestmark = pytest.mark.django_db

PEERS, MANAGERS = Who("group", ("peers",)), Who("group", ("managers",))


def demand(*slots: Slot) -> Requirement:
    people = sum(slot.people for slot in slots)
    return Requirement(
        people,
        not_starter=True,
        permission="approve_actions",
        expires_after_seconds=DAY,
        quorums=(Quorum("roles", slots),),
        rules=("roles",),
        reversibility="reversible",
    )


ROLES = demand(Slot(PEERS, 1), Slot(MANAGERS, 1))


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def joined(user: User, *names: str) -> User:
    for name in names:
        Group.objects.get_or_create(name=name)[0].user_set.add(user)
    return user


def fay(tenant: Tenant) -> User:
    user = User.objects.filter(email="fay@example.org").first()
    user = user or User.objects.create_user("fay@example.org", name="Fay")
    access.grant(tenant, user, "view_runs", "read_payloads", "approve_actions")
    return user


def test_one_person_with_both_roles_is_not_enough_and_two_are(tenant: Tenant) -> None:
    """A21: one peer AND one manager; one person fills one place."""
    both, peer = joined(dee(tenant), "peers", "managers"), joined(eve(tenant), "peers")
    request = decide(asked(requirement=ROLES), both)
    assert not judging.is_enough(request)
    assert decide(request, peer).state == "approved"


def test_two_of_one_role_are_not_one_of_each(tenant: Tenant) -> None:
    request = approved_by(
        asked(requirement=ROLES), joined(dee(tenant), "peers"), joined(eve(tenant), "peers")
    )
    assert request.state == "open"
    assert decide(request, joined(fay(tenant), "managers")).state == "approved"


@pytest.mark.parametrize("verdict", ["approve", "reject", "send_back"])
def test_who_is_not_asked_may_not_decide(tenant: Tenant, verdict: str) -> None:
    joined(eve(tenant), "peers")
    with pytest.raises(NotPermittedError) as caught:
        decide(asked(requirement=ROLES), dee(tenant), verdict)
    assert caught.value.code == "not_asked"


def test_a_group_gives_no_right_to_decide(tenant: Tenant) -> None:
    """A24: a group has one name everywhere, and counts only with the right at this tenant."""
    stranger = joined(eve(make_tenant("other")), "peers", "managers")
    request = asked(requirement=ROLES)
    with pytest.raises(NotPermittedError):
        decide(request, stranger)
    assert judging.eligible(request) == []


def test_the_starter_is_in_no_quorum_though_in_every_group(tenant: Tenant) -> None:
    """A19: membership of the approving group lets nobody approve their own run."""
    starter = joined(ada(tenant), "peers", "managers")
    request = asked(requirement=ROLES)
    assert judging.eligible(request) == []
    with pytest.raises(NotPermittedError) as caught:
        decide(request, starter)
    assert caught.value.code == "own_run"


def test_a_yes_of_the_starter_counts_for_nothing_however_it_got_there(tenant: Tenant) -> None:
    request = asked()
    Decision.objects.create(
        request=request, user=ada(tenant), verdict="approve", posted_hash=request.action_hash
    )
    assert judging.standing(request) == set()
    assert not judging.is_enough(request)


@pytest.mark.parametrize(
    "changed",
    [
        {"approvers": 1},
        {"approvers": 0, "automatic": "roles"},
        {"quorums": [{"rule": "roles", "slots": []}]},
        {"quorums": [{"rule": "roles", "slots": [{"who": {"group": "peers"}, "people": 0}]}]},
        {"quorums": [{"rule": "roles", "slots": [{"who": {"named": []}, "people": 1}]}]},
        {"permission": "view_runs"},
        {"reversibility": "harmless"},
        {"reauthenticate": "no"},
        {"rules": "roles"},
    ],
)
def test_a_stored_demand_that_asks_less_than_it_says_is_unreadable(changed: Any) -> None:
    assert Requirement.from_json(ROLES.as_json()) == ROLES
    with pytest.raises(UnreadableRulesError):
        Requirement.from_json({**ROLES.as_json(), **changed})


def test_leaving_the_group_before_the_effect_takes_the_yes_away(tenant: Tenant) -> None:
    manager = joined(eve(tenant), "managers")
    request = approved_by(asked(requirement=ROLES), joined(dee(tenant), "peers"), manager)
    assert request.state == "approved"
    Group.objects.get(name="managers").user_set.clear()
    with pytest.raises(NotApprovedError, match="too_few_approvers"):
        using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid4())
    joined(manager, "managers")
    used = using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid4())
    assert used.state == "used"


def test_named_people_are_known_by_their_address_and_must_be_active(tenant: Tenant) -> None:
    by_name = demand(Slot(Who("named", ("dee@example.org",)), 1))
    request = asked(requirement=by_name)
    assert judging.eligible(request) == []
    dee(tenant)
    assert judging.eligible(request) == [dee()]
    with pytest.raises(NotPermittedError):
        decide(request, eve(tenant))
    request = decide(request, dee(tenant))
    User.objects.filter(pk=dee().pk).update(is_active=False)
    with pytest.raises(NotApprovedError):
        using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid4())


def test_a_further_right_can_be_asked_beside_the_one_to_decide(tenant: Tenant) -> None:
    request = asked(requirement=demand(Slot(Who("permission", ("manage_tenant",)), 1)))
    with pytest.raises(NotPermittedError):
        decide(request, dee(tenant))
    access.grant(tenant, eve(tenant), "manage_tenant")
    assert decide(request, eve(tenant)).state == "approved"


def test_the_last_check_of_a_plain_demand_is_one_statement(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = approved_by(asked(requirement=TWO), dee(tenant), eve(tenant))
    request = ApprovalRequest.objects.get(pk=request.pk)
    said: list[str] = []

    def counted(statement: str, values: Any) -> Any:
        said.append(statement)
        return execute(statement, values)

    monkeypatch.setattr(deciders, "execute", counted)
    monkeypatch.setattr(access, "execute", counted)
    with CaptureQueriesContext(connection) as by_orm:
        assert judging.is_enough(request)
    assert (len(said), len(by_orm)) == (1, 0)


def test_a_standing_says_who_gave_what_is_missing_and_who_can_give_it(tenant: Tenant) -> None:
    both, peer = joined(dee(tenant), "peers", "managers"), joined(eve(tenant), "peers")
    joined(fay(tenant))
    request = decide(asked(requirement=ROLES), both)
    found = standing_of(request)
    assert (found.needed, found.yes, found.missing, found.is_enough) == (2, 1, 1, False)
    assert found.can_help == (peer,)
    assert found.is_possible
    first, second = found.parts
    assert (first.rule, first.who, first.given, first.missing) == ("roles", PEERS, (both,), 0)
    assert (second.given, second.missing, second.can_give) == ((), 1, ())
    done = standing_of(decide(request, peer))
    assert (done.is_enough, done.missing, done.can_help) == (True, 0, ())
    assert [part.given for part in done.parts] == [(peer,), (both,)]


def test_a_standing_says_when_nobody_is_left_to_ask(tenant: Tenant) -> None:
    joined(dee(tenant), "peers")
    found = standing_of(asked(requirement=ROLES))
    assert (found.is_possible, found.missing) == (False, 2)
    assert found.can_help == (dee(),)


def test_a_plain_demand_is_one_part_of_anybody_with_the_right(tenant: Tenant) -> None:
    dee(tenant), eve(tenant)
    found = standing_of(decide(asked(requirement=TWO), dee()))
    [part] = found.parts
    assert (part.rule, part.who.kind, part.people) == ("", "permission", 2)
    assert (part.given, part.can_give, found.missing) == ((dee(),), (eve(),), 1)


def test_what_passed_by_a_rule_has_no_parts(tenant: Tenant) -> None:
    passes = replace(ONE, approvers=0, automatic="small", rules=("small",))
    found = standing_of(ask(make_question(make_run(), requirement=passes)))
    assert (found.parts, found.is_enough, found.automatic) == ((), True, "small")
