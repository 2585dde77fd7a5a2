"""A yes to what is hard to undo needs a proof of the last ten minutes, judged where it is decided."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from approvals import clock, decisions
from approvals.decisions import Given
from approvals.errors import NotPermittedError, ProofNeededError
from approvals.models import ApprovalRequest, Decision
from approvals.people import proving
from tenants import access, people
from tenants.actors import MOST_AGE, Actor, Proof
from tenants.models import AuditRow, User
from tenants.roles import ROLES
from tenants.signin.confirming import DRAFT
from tests.approvals.questions import ONE, asked, decide
from tests.opening import open_all
from tests.people import dee
from tests.tenants import codes

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
RISKY = replace(ONE, reauthenticate=True)
SECOND = timedelta(seconds=1)


def say_yes(request: ApprovalRequest, user: User, at: datetime | None, method: str = "app") -> None:
    proof = Proof(method, at) if at is not None else None
    open_all(request.pk, user)
    decisions.decide(
        request.pk,
        Given("approve", "", request.action_hash),
        actor=Actor.person(user, proof),
        user=user,
    )


@pytest.mark.parametrize("age", [None, MOST_AGE + SECOND, -timedelta(hours=1)], ids=str)
def test_no_proof_or_one_too_old_or_from_the_future_decides_nothing(age: timedelta | None) -> None:
    request = asked(requirement=RISKY)
    at = clock.now() - age if age is not None else None
    with pytest.raises(ProofNeededError):
        say_yes(request, dee(request.tenant), at)
    request.refresh_from_db()
    assert (request.state, Decision.objects.count()) == ("open", 0)


def test_a_fresh_proof_is_kept_with_the_decision_and_in_the_trail() -> None:
    request = asked(requirement=RISKY)
    at = clock.now() - MOST_AGE + 5 * SECOND
    say_yes(request, dee(request.tenant), at)
    made = Decision.objects.get(request=request)
    assert (made.proved_by, made.proved_at) == ("app", at)
    told = AuditRow.objects.get(verb="approve").detail
    assert (told["proved_by"], told["proved_at"]) == ("app", at.isoformat())


@pytest.mark.parametrize("verdict", ["reject", "send_back"])
def test_a_no_needs_no_proof(verdict: str) -> None:
    request = asked(requirement=RISKY)
    decide(request, dee(request.tenant), verdict, reason="No.")
    assert Decision.objects.get(request=request).proved_by == ""


def test_a_tool_that_cannot_be_undone_needs_one_without_any_rule_saying_so() -> None:
    schema_2 = replace(ONE, rules=("any",), reversibility="irreversible")
    assert proving.is_needed(asked(requirement=schema_2))
    assert not proving.is_needed(asked(requirement=replace(schema_2, reversibility="reversible")))
    assert not proving.is_needed(asked(requirement=ONE))


def test_a_proof_without_a_time_is_refused_by_the_database() -> None:
    request = asked()
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.create(
            request=request,
            user=dee(),
            verdict="approve",
            posted_hash=request.action_hash,
            proved_by="app",
        )


def test_machines_and_service_users_are_refused_before_their_rights_are_read() -> None:
    request = asked()
    robot = people.add_service_user("ci@example.org", "CI", actor=Actor.machine("test"))
    access.grant(request.tenant, robot, *ROLES["owner"])
    person = dee(request.tenant)
    disguised = Actor("person", str(robot.pk), robot.pk, "CI")
    for actor, user in [(Actor.machine("worker-1"), person), (disguised, robot)]:
        with pytest.raises(NotPermittedError) as refused:
            decisions.decide(
                request.pk, Given("approve", "", request.action_hash), actor=actor, user=user
            )
        assert refused.value.code == "machine"
    assert not Decision.objects.exists()


def test_the_page_leads_to_confirming_and_back_and_never_replays() -> None:
    request = asked(requirement=RISKY)
    user = dee(request.tenant)
    user.set_password(PASSWORD)
    user.save()
    codes.give_app(user)
    client = Client()
    client.force_login(user)
    page = f"/t/{request.tenant.slug}/approvals/{request.pk}/"
    form = {"verdict": "approve", "shown": request.action_hash, "reason": "I read all of it."}
    open_all(request.pk, user)
    answer = client.post(f"{page}decision/", form)
    assert answer.headers["Location"].startswith("/confirm/code/?next=%2Ft%2F")
    assert "decided" not in str(client.session.get(DRAFT))
    back = client.post("/confirm/code/", {"code": codes.now(user), "next": page})
    assert back.headers["Location"] == page
    assert not Decision.objects.exists()
    assert "I read all of it." in client.get(page).content.decode()
    client.post(f"{page}decision/", form)
    made = Decision.objects.get()
    assert (made.reason, made.proved_by) == ("I read all of it.", "app")
    assert DRAFT not in client.session
