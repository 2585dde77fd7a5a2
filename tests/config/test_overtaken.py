"""The web process on tables of another release: it shows and decides nothing."""

import socket
import threading
from typing import Any

import pytest
from django.conf import settings as installed
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from config import groundcheck, overtaken
from config.overtaken import KnownTablesOnly
from tests.othertables import newer_tables, older_tables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def web(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> KnownTablesOnly:
    """What stands before every page, in a web process that looks for each request."""
    settings.ROLE = "web"
    monkeypatch.setattr(overtaken, "LOOK_EVERY_SECONDS", 0.0)
    return KnownTablesOnly(page)


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("a page")


def test_no_page_is_answered_on_tables_of_another_release(web: KnownTablesOnly) -> None:
    request = RequestFactory().post("/t/acme/decide/")
    for other in (newer_tables, older_tables):
        assert web(request).status_code == 200
        with other():
            answer: Any = web(request)
        assert answer.status_code == 503
        assert answer["Retry-After"] == "5"
        assert "shows and decides nothing" in answer.content.decode()
    assert web(request).status_code == 200


def test_probes_are_answered_and_say_it(client: Client, web: KnownTablesOnly) -> None:
    with newer_tables():
        assert web(RequestFactory().get("/readyz")).status_code == 200
        answer = client.get("/readyz")
        assert client.get("/healthz").status_code == 200
    assert (answer.status_code, answer.json()["database"]) == (503, "newer than this code")


def test_while_one_looks_at_a_silent_database_the_others_go_on_with_what_is_known(
    web: KnownTablesOnly, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = RequestFactory().get("/t/acme/")
    assert web(request).status_code == 200
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for name, value in (("HOST", "127.0.0.1"), ("PORT", str(silent.getsockname()[1]))):
            monkeypatch.setitem(connection.settings_dict, name, value)
        one = threading.Thread(target=web, args=[request])
        one.start()
        line, _ = silent.accept()
        assert web(request).status_code == 200
        assert one.is_alive()
        line.close()
        one.join(timeout=60)
        assert not one.is_alive()


def test_it_stands_before_every_page() -> None:
    assert "config.overtaken.KnownTablesOnly" in installed.MIDDLEWARE


@pytest.mark.parametrize("role", ["web", "worker"])
def test_older_code_does_not_start(role: str, settings: Settings) -> None:
    settings.ROLE = role
    with newer_tables():
        (fault,) = groundcheck.schema_faults()
    assert "newer than this code: it knows nothing of checkpoints.9999_of_the_next" in fault
