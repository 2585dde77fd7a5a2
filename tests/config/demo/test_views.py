"""The demo's pages: for whom they are there, and what a click on the plug does."""

from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import Settings

from approvals.models import ApprovalRequest
from checkpoints.models import Event
from config.demo import people, plugs, world
from config.demo.people import Person
from config.demo.twin import asked
from config.demo.twin.asked import Asked
from tenants.models import User
from tests.config.demo import turns
from tests.people import cy

PAGES = ("/demo/", "/demo/plugged/", "/outside-world/")

pytestmark = pytest.mark.django_db


def client_of(user: User | None) -> Client:
    assert user is not None
    client = Client()
    client.force_login(user)
    return client


def who(person: Person) -> Client:
    return client_of(people.user_of(person))


@pytest.fixture
def waiting(operator: User, small_remotes: Path) -> ApprovalRequest:
    """A push that waits for a yes."""
    run = turns.start("aiosmtpd")
    turns.turn()
    return turns.asked(run)


def pull(client: Client, request: ApprovalRequest, shown: str | None = None) -> int:
    """A click of somebody who has read the diff."""
    client.get(f"/t/{request.tenant.slug}/approvals/{request.pk}/?whole=")
    shown = request.action_hash if shown is None else shown
    return client.post(f"/demo/pushes/{request.pk}/plug/", {"shown": shown}).status_code


@pytest.mark.parametrize("page", PAGES)
def test_who_is_not_signed_in_is_sent_to_sign_in(operator: User, page: str) -> None:
    assert Client().get(page).status_code == 302


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_sees_no_page(operator: User, page: str) -> None:
    assert client_of(cy()).get(page).status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_without_the_demo_there_is_no_page(operator: User, settings: Settings, page: str) -> None:
    settings.KEDGE_DEMO = False
    assert client_of(operator).get(page).status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_the_operator_sees_every_page(operator: User, page: str) -> None:
    assert client_of(operator).get(page).status_code in (200, 286)


def test_an_auditor_sees_the_world_but_has_no_plug(operator: User) -> None:
    world_page = who(people.AUDITOR).get("/outside-world/")
    assert world_page.status_code == 200
    assert 'href="/demo/"' not in world_page.content.decode()
    assert who(people.AUDITOR).get("/demo/").status_code == 403


@pytest.mark.parametrize("where", [{"HTTP_X_FORWARDED_FOR": "1.2.3.4"}, {"REMOTE_ADDR": "1.2.3.4"}])
def test_the_plug_is_for_this_machine_alone(operator: User, where: dict[str, str]) -> None:
    assert client_of(operator).get("/demo/", **where).status_code == 404  # type: ignore[arg-type]


def test_a_click_approves_as_this_person_and_arms_the_plug(waiting: ApprovalRequest) -> None:
    assert pull(who(people.OPERATOR), waiting) == 302
    waiting.refresh_from_db()
    assert (waiting.state, waiting.closed_by) == ("approved", "Olga Marsh")
    assert plugs.plug_of(waiting.run_id).read_text() == "effect:after"
    assert Event.objects.filter(run_id=waiting.run_id, what="plug armed").count() == 1


def test_a_click_on_what_was_not_shown_approves_and_arms_nothing(waiting: ApprovalRequest) -> None:
    assert pull(who(people.OPERATOR), waiting, shown="0" * 64) == 409
    waiting.refresh_from_db()
    assert waiting.state == "open"
    assert not plugs.plug_of(waiting.run_id).exists()


def test_a_click_without_reading_approves_and_arms_nothing(waiting: ApprovalRequest) -> None:
    client = who(people.OPERATOR)
    assert "read them first" in client.get("/demo/").content.decode()
    url = f"/demo/pushes/{waiting.pk}/plug/"
    answer = client.post(url, {"shown": waiting.action_hash}, follow=True)
    assert "Read the diff first, then pull the plug." in answer.content.decode()
    waiting.refresh_from_db()
    assert waiting.state == "open"
    assert not plugs.plug_of(waiting.run_id).exists()


def test_who_may_not_operate_arms_nothing(waiting: ApprovalRequest) -> None:
    assert pull(who(people.APPROVER), waiting) == 403
    assert not plugs.plug_of(waiting.run_id).exists()


def test_two_clicks_are_one(waiting: ApprovalRequest) -> None:
    client = who(people.OPERATOR)
    assert [pull(client, waiting), pull(client, waiting)] == [302, 302]
    assert Event.objects.filter(run_id=waiting.run_id, what="plug armed").count() == 1


def test_the_page_has_the_push_and_then_its_story(waiting: ApprovalRequest) -> None:
    client = who(people.OPERATOR)
    page = client.get("/demo/").content.decode()
    assert "1 A push to 3 files waits for your yes" in page
    assert waiting.action_hash[:8] in page
    pull(client, waiting)
    story = client.get("/demo/plugged/")
    assert story.status_code == 200
    assert "Your yes is recorded" in story.content.decode()


def test_the_world_is_shown_to_those_who_may_view_its_tenant(
    operator: User, small_remotes: Path
) -> None:
    note("harbour", "modern-python/rq")
    note("northsea", "spring-cleaning/rq")
    page = client_of(operator).get("/outside-world/").content.decode()
    assert "modern-python/rq" in page
    assert "spring-cleaning/rq" in page
    theirs = who(people.AUDITOR).get("/outside-world/").content.decode()
    assert "Kedge: 1 asked, 0 arrived. Plain retry: 1 asked, 0 arrived." in theirs
    assert "spring-cleaning" not in theirs


def test_the_world_has_a_word_for_each_kind_of_nothing(operator: User, small_remotes: Path) -> None:
    client = client_of(operator)
    assert "Nothing was asked of the world yet" in client.get("/outside-world/").content.decode()
    note("harbour", "modern-python/rq")
    doubled = client.get("/outside-world/?only=doubled").content.decode()
    assert "Nothing arrived twice" in doubled


def test_from_the_world_the_operator_gets_back_to_the_demo(operator: User) -> None:
    assert 'href="/demo/"' in client_of(operator).get("/outside-world/").content.decode()


def test_what_was_asked_cannot_be_read_is_no_empty_list(operator: User, demo: Path) -> None:
    note("harbour", "modern-python/rq")
    next((demo / "twin" / "asked").iterdir()).write_text("{")
    page = client_of(operator).get("/outside-world/").content.decode()
    assert "That says nothing about what arrived" in page


def test_what_cannot_be_read_is_said(operator: User) -> None:
    note("harbour", "modern-python/rq")
    page = client_of(operator).get("/outside-world/").content.decode()
    assert "Not everything could be read" in page
    assert "cannot be read" in page


def note(tenant: str, key: str) -> None:
    world._kept.clear()
    asked.note(Asked(tenant, key, "push", "rq", run=str(uuid4()), action=str(uuid4())))
