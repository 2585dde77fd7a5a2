"""The page of a tenant's tools: what each is, who said so, and what saying something else changes."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from approvals import clock
from approvals.errors import ClassMovedError, ClassProofNeededError
from approvals.models import ToolClass
from approvals.pages.toolclasses import NAMES
from approvals.people import reversibility
from approvals.rules import Requirement
from tenants import access
from tenants.actors import MOST_AGE, Actor, Proof
from tenants.models import AuditRow, Tenant, User
from tests.approvals.questions import ONE, asked, decide, make_run
from tests.execution.pages.visits import PASSWORD, proved_in, signed_in, words
from tests.people import bob, dee, eve, make_tenant

pytestmark = pytest.mark.django_db
SHELL = Actor.machine("command line")
PAGE = "/t/acme/tools/"
MILD = Requirement(
    1,
    not_starter=True,
    permission="approve_actions",
    expires_after_seconds=ONE.expires_after_seconds,
    rules=("any",),
    reversibility="reversible",
)


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def manager(tenant: Tenant) -> User:
    user = eve(tenant)
    access.grant(tenant, user, "manage_tenant")
    return user


def say(client: Client, tool: str, to: str, **more: str) -> Any:
    form = {"tool": tool, "to": to, "why": "Tried it.", "seen": "irreversible", **more}
    return client.post(PAGE, form)


def mild(tenant: Tenant) -> None:
    reversibility.set_class(tenant, "git.push", "reversible", actor=SHELL, why="Tried it.")


def test_every_tool_is_listed_with_its_class_who_said_it_and_what_it_means(tenant: Tenant) -> None:
    mild(tenant)
    make_run(tenant)
    said = words(signed_in(bob(tenant)).get(PAGE))
    assert "git.push Can be undone command line" in said
    assert "Tried it. As if it had not been. A rule may let it pass without a person." in said
    assert "nobody yet: so it counts as the worst" in said
    assert "No rule lets it pass." in said


def test_who_only_views_reads_and_is_told_who_may_say_it(tenant: Tenant, manager: User) -> None:
    client = signed_in(bob(tenant))
    said = words(client.get(f"{PAGE}?tool=git.push&to=reversible"))
    assert "takes the right to manage this tenant. These people have it: Eve." in said
    assert "Say it" not in said
    assert say(client, "git.push", "reversible").status_code == 403
    assert not ToolClass.objects.exists()


def test_the_preview_counts_what_is_asked_anew_and_says_nothing_by_itself(
    tenant: Tenant, manager: User
) -> None:
    mild(tenant)
    for _ in range(2):
        asked(requirement=MILD)
    decide(asked(requirement=MILD), dee(tenant))
    asked(requirement=ONE)  # of rules of before: asked as the worst already
    said = words(signed_in(manager).get(f"{PAGE}?tool=git.push&to=irreversible"))
    assert "git.push: Can be undone → Cannot be undone" in said
    assert "2 open questions will be asked anew." in said
    assert "1 approval that is not used yet counts no more: it is asked anew." in said
    assert "You confirm first that it is you" in said
    assert ToolClass.objects.count() == 1
    milder = words(signed_in(manager).get(f"{PAGE}?tool=git.push&to=reversible"))
    assert "Nothing that waits will be asked anew." in milder


def test_saying_it_leads_to_confirming_and_back_with_the_reason_and_is_audited(
    tenant: Tenant, manager: User
) -> None:
    mild(tenant)
    manager.set_password(PASSWORD)
    manager.save()
    client = signed_in(manager)
    more = {"seen": "reversible", "why": "It left traces."}
    answer = say(client, "git.push", "irreversible", **more)
    page = f"{PAGE}?tool=git.push&to=irreversible"
    assert answer.headers["Location"].startswith("/confirm/?next=%2Ft%2Facme%2Ftools%2F")
    back = client.post("/confirm/", {"password": PASSWORD, "next": page})
    assert back.headers["Location"] == page
    assert ToolClass.objects.count() == 1
    assert "It left traces." in words(client.get(page))
    assert say(client, "git.push", "irreversible", **more).headers["Location"] == PAGE
    assert reversibility.class_of(tenant.pk, "git.push") == "irreversible"
    row = AuditRow.objects.filter(verb="classify_tool").order_by("-audit_id")[0]
    assert (row.detail["was"], row.detail["is"]) == ("reversible", "irreversible")
    assert (row.actor_name, row.detail["proved_by"]) == ("Eve", "password")


def test_what_somebody_else_said_meanwhile_is_told_and_not_overwritten(
    tenant: Tenant, manager: User
) -> None:
    client = proved_in(manager)
    mild(tenant)
    answer = say(client, "git.push", "compensable")
    assert answer.status_code == 409
    assert "Somebody has said another class meanwhile." in words(answer)
    assert 'name="seen" value="reversible"' in answer.content.decode()
    assert "Tried it." in words(answer)
    assert reversibility.class_of(tenant.pk, "git.push") == "reversible"


@pytest.mark.parametrize(
    "wrong", [{"why": " "}, {"tool": "unheard.of"}, {"to": "harmless"}, {"seen": "x"}], ids=str
)
def test_a_form_that_cannot_be_is_refused(
    tenant: Tenant, manager: User, wrong: dict[str, str]
) -> None:
    mild(tenant)
    given = {"tool": "git.push", "to": "compensable", **wrong}
    assert say(proved_in(manager), given.pop("tool"), given.pop("to"), **given).status_code == 422
    assert ToolClass.objects.count() == 1


@pytest.mark.parametrize("age", [None, MOST_AGE + timedelta(seconds=1)], ids=str)
def test_the_verb_takes_no_word_without_a_fresh_proof(
    tenant: Tenant, manager: User, age: timedelta | None
) -> None:
    proof = Proof("app", clock.now() - age) if age is not None else None
    with pytest.raises(ClassProofNeededError):
        reversibility.set_class(
            tenant, "pay", "reversible", actor=Actor.person(manager, proof), why="Tried it."
        )
    with pytest.raises(ClassMovedError):
        reversibility.set_class(
            tenant, "pay", "reversible", actor=SHELL, why="Tried it.", seen="compensable"
        )
    assert not ToolClass.objects.exists()


def test_a_question_leads_to_the_page_by_its_class(tenant: Tenant) -> None:
    request = asked()
    html = signed_in(dee(tenant)).get(f"/t/acme/approvals/{request.pk}/").content.decode()
    assert f'<a href="{PAGE}?tool=git.push">{NAMES["irreversible"]}</a>' in html
