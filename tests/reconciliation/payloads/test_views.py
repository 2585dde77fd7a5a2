"""The page of encrypted fields: GET shows marks only, POST one value, once, to whoever may."""

import pytest
from django.urls import reverse

from checkpoints.models import Run
from tenants.actors import Actor
from tenants.keys import keeping
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.people import bob, cy
from tests.secrecy.conftest import careless, engine, run
from tests.secrecy.registry import PASSWORD, PERSON
from tests.secrecy.sinks import leaks

__all__ = ["careless", "engine", "run"]
pytestmark = pytest.mark.django_db(transaction=True)
ASKED = {"path": "/password", "reason": "the customer is on the phone"}


@pytest.fixture
def address(careless: Bench, run: Run) -> str:
    return reverse("reconciliation:encrypted", args=[careless.tenant.slug, "input", run.pk, 0])


def test_the_run_page_leads_there(careless: Bench, run: Run, address: str) -> None:
    assert address in signed_in(careless.starter).get(page_of(careless, run)).content.decode()


def test_looking_shows_marks_and_reveals_nothing(careless: Bench, address: str) -> None:
    page = signed_in(careless.starter).get(address)
    assert "/customer/mail" in words(page)
    assert "2 encrypted fields" in words(page)
    assert leaks(page.content) == []
    assert not AuditRow.objects.filter(verb="reveal").exists()
    assert signed_in(careless.starter).get(f"{address}?path=/password&reason=x").status_code == 200
    assert not AuditRow.objects.filter(verb="reveal").exists()


def test_a_reason_shows_the_value_once(careless: Bench, address: str) -> None:
    client = signed_in(careless.starter)
    page = client.post(address, ASKED)
    assert PASSWORD in words(page)
    assert "no-store" in page.headers["Cache-Control"]
    assert AuditRow.objects.get(verb="reveal").detail["reason"] == ASKED["reason"]
    assert leaks(client.get(address).content) == []


@pytest.mark.parametrize(
    "asked",
    [{}, {"path": "/password"}, {**ASKED, "path": "/customer/id"}, {**ASKED, "reason": " "}],
)
def test_what_is_incomplete_reveals_nothing(
    careless: Bench, address: str, asked: dict[str, str]
) -> None:
    page = signed_in(careless.starter).post(address, asked)
    assert page.status_code == 422
    assert leaks(page.content) == []
    assert not AuditRow.objects.filter(verb="reveal").exists()


def test_only_those_who_may_read_payloads_come_here(careless: Bench, address: str) -> None:
    watcher = signed_in(bob(careless.tenant))
    assert [watcher.get(address).status_code, watcher.post(address, ASKED).status_code] == [403] * 2
    assert AuditRow.objects.filter(verb__startswith="refused").exists()
    stranger = signed_in(cy())
    assert [stranger.get(address).status_code, stranger.post(address, ASKED).status_code] == [
        404
    ] * 2


def test_what_is_erased_is_not_offered(careless: Bench, address: str) -> None:
    keeping.erase(careless.tenant, PERSON, actor=Actor.machine("test"), reason="asked for it")
    client = signed_in(careless.starter)
    assert "nobody can read it any more" in words(client.get(address))
    assert client.post(address, {**ASKED, "path": "/customer/mail"}).status_code == 422
