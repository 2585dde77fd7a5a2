"""Who is named as able to decide is exactly who the verb would take a yes from, whoever they are."""

from dataclasses import replace
from typing import Final

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.test import Client
from django.utils.html import strip_tags

from approvals import clock, decisions
from approvals.decisions import Given
from approvals.errors import ApprovalError
from approvals.models import ApprovalRequest, Decision
from approvals.people import handovers, rulechecks, satisfying
from approvals.people.standings import standing_of
from approvals.rules import Quorum, Requirement, Slot, Who
from checkpoints.models import Run
from tenants import access
from tenants.actors import Actor, Proof
from tenants.errors import NotAPerson
from tenants.models import Tenant, TenantGroupObjectPermission, User
from tenants.roles import ROLES
from tenants.signin import proofs
from tests.approvals.questions import ONE, TWO, ask, decide, make_question, make_run
from tests.approvals.rulebooks import PLAIN, book
from tests.opening import open_all
from tests.people import ada, bob, cy, make_tenant
from tests.tenants import codes

pytestmark = pytest.mark.django_db
APPROVER: Final = ROLES["approver"]
PASSWORD: Final = "correct horse battery"
HASHED: Final = make_password(PASSWORD)  # once: it is slow on purpose
GROUP: Final = Quorum("treasury", (Slot(Who("group", ("treasury",)), 1),))
NAMED: Final = Quorum(
    "named", (Slot(Who("named", ("able@example.org", "provider@example.org")), 2),)
)
RIGHT: Final = Quorum("manager", (Slot(Who("permission", ("manage_tenant",)), 1),))
DEMANDS: Final[dict[str, Requirement]] = {
    "one": ONE,
    "two": TWO,
    "proved": replace(ONE, rules=("any",), reauthenticate=True),
    "irreversible": replace(ONE, rules=("any",), reversibility="irreversible"),
    "group": replace(ONE, rules=("treasury",), quorums=(GROUP,)),
    "named": replace(TWO, rules=("named",), quorums=(NAMED,), reauthenticate=True),
    "right": replace(ONE, rules=("manager",), quorums=(RIGHT,)),
}


def person(name: str, *rights: str, at: Tenant | None = None, password: str | None = None) -> User:
    user = User.objects.create_user(f"{name}@example.org", name=name.title())
    if password is not None:
        User.objects.filter(pk=user.pk).update(password=HASHED)
    access.grant(at or make_tenant(), user, *rights)
    return user


def cast() -> None:
    """Everybody there is, in kinds: each differs from one who can decide in one thing."""
    tenant, treasury = make_tenant(), Group.objects.create(name="treasury")
    treasury.user_set.add(person("able", *APPROVER, password=PASSWORD))
    codes.give_app(person("with-app", *APPROVER))
    person("provider", *APPROVER)  # signs in at a provider alone: nothing here to prove with
    person("blind", "view_runs", "approve_actions", password=PASSWORD)
    person("pageless", "read_payloads", "approve_actions", password=PASSWORD)
    person("owner", *ROLES["owner"], password=PASSWORD)
    person("behalf", *APPROVER, password=PASSWORD)
    person("foreign", *APPROVER, at=make_tenant("other"), password=PASSWORD)
    person("left", *APPROVER, password=PASSWORD)
    User.objects.filter(email="left@example.org").update(is_active=False)
    service = person("robot", *APPROVER)
    User.objects.filter(pk=service.pk).update(kind="service")
    User.objects.filter(pk=person("root").pk).update(is_superuser=True)
    shared = Group.objects.create(name="shared")
    for codename in APPROVER:
        own = Permission.objects.get(
            content_type__app_label="tenants", content_type__model="tenant", codename=codename
        )
        TenantGroupObjectPermission.objects.create(
            content_object=tenant, group=shared, permission=own
        )
    shared.user_set.add(person("grouped", password=PASSWORD))
    treasury.user_set.add(User.objects.get(email="blind@example.org"))
    bob(tenant), cy()


def question(requirement: Requirement) -> ApprovalRequest:
    run = make_run(on_behalf_of="Behalf@example.org")
    return ask(make_question(run, requirement=requirement))


def takes(request: ApprovalRequest, user: User) -> bool:
    """Whether the verb takes a yes of this person now, with the best proof they can give."""
    method = "app" if proofs.has_second_factor(user) else "password"
    can_prove = method == "app" or user.password == HASHED
    proof = Proof(method, clock.now()) if can_prove else None
    before = Decision.objects.count()
    try:
        with transaction.atomic():
            open_all(request.pk, user)
            given = Given("approve", "Read.", request.action_hash)
            decisions.decide(request.pk, given, actor=Actor.person(user, proof), user=user)
            taken = Decision.objects.count() > before
            transaction.set_rollback(True)
    except (ApprovalError, NotAPerson):
        return False
    return taken


def accepted(request: ApprovalRequest) -> set[str]:
    return {str(user.email) for user in User.objects.order_by("pk") if takes(request, user)}


def emails(users: object) -> set[str]:
    return {user.email for user in users}  # type: ignore[attr-defined]


@pytest.mark.parametrize("demand", DEMANDS)
def test_who_is_named_is_who_the_verb_takes_a_yes_from(demand: str) -> None:
    cast()
    request = question(DEMANDS[demand])
    taken = accepted(request)
    assert taken
    assert emails(handovers.can_take(request)) == taken
    standing = standing_of(request)
    assert emails(standing.can_help) == taken
    assert standing.can_help_count == len(taken)
    for part in standing.parts:
        assert emails(part.can_give) <= taken


@pytest.mark.parametrize("verdict", ["kept", "taken back"])
def test_who_has_answered_is_named_no_more(verdict: str) -> None:
    cast()
    request, able = question(TWO), User.objects.get(email="able@example.org")
    decide(request, able)
    if verdict == "taken back":
        decisions.take_back(request.pk, actor=Actor.person(able), user=able, reason="No.")
    assert emails(standing_of(request).can_help) == accepted(request)
    assert able.email not in accepted(request)


def test_who_has_nothing_to_prove_with_is_named_apart(settings: object) -> None:
    cast()
    standing = standing_of(question(DEMANDS["proved"]))
    assert emails(standing.unproved) == {"provider@example.org"}
    assert standing_of(question(ONE)).unproved == ()


def test_a_demand_is_impossible_for_exactly_those_without_enough_who_may_see_and_decide() -> None:
    run = make_run()
    person("blind", "view_runs", "approve_actions")
    assert "there are none" in satisfying.impossible(ONE, run)
    person("provider", *APPROVER)
    assert satisfying.impossible(ONE, run) == ""
    assert "and there is 1" in satisfying.impossible(TWO, run)


def test_a_question_that_waits_for_a_second_factor_is_asked_all_the_same() -> None:
    """The person adds one in a minute; a run that was refused is over."""
    run: Run = make_run()
    person("provider", *APPROVER)
    assert satisfying.impossible(DEMANDS["proved"], run) == ""
    assert not standing_of(question(DEMANDS["proved"])).is_possible


def test_rules_that_nobody_can_satisfy_are_refused_when_they_are_saved() -> None:
    tenant = make_tenant()
    person("blind", "view_runs", "approve_actions", password=PASSWORD)
    blind = {**PLAIN, "who": {"named": ["blind@example.org"]}}
    (wrong,), _ = rulechecks.of_tenant(book(blind), tenant)
    assert (wrong.path, "read_payloads" in wrong.do) == ("/rules/0/who/named/0", True)
    person("provider", *APPROVER)
    assert rulechecks.of_tenant(book(PLAIN), tenant)[0] == []
    proved = {**PLAIN, "reauthenticate": True}
    (wrong,), _ = rulechecks.of_tenant(book(proved), tenant)
    assert wrong.path == "/rules/0"
    codes.give_app(User.objects.get(email="provider@example.org"))
    assert rulechecks.of_tenant(book(proved), tenant)[0] == []
    assert ada(tenant).pk


def test_the_page_names_who_needs_something_to_prove_with(client: Client) -> None:
    person("able", *APPROVER, password=PASSWORD)
    viewer = person("provider", *APPROVER)
    request = question(DEMANDS["irreversible"])
    client.force_login(viewer)
    html = client.get(f"/t/acme/approvals/{request.pk}/").content.decode()
    said = " ".join(strip_tags(html).split())
    assert "passkey or an authenticator app here, also: Provider." in said
    assert "Can decide besides you Able" in said
