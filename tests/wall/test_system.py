"""The System page and `manage.py roles` say whether the wall stands, and count past it."""

import re
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from psycopg.conninfo import make_conninfo
from pytest_django import Settings

from config import groundcheck, roles
from execution.pages import machine
from tenants.notifications.models import Notification
from tests.approvals.questions import make_run
from tests.people import bob, make_tenant
from tests.wall.role import USER, answering_as_web, as_web

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("web_user", "doorbell")]
STANDS, DOES_NOT = "stands: the database", "does not stand: the web process"


def test_the_figures_are_of_all_tenants_whoever_asks() -> None:
    due = timezone.now() - timedelta(hours=1)
    for slug in ("acme", "other"):
        make_run(make_tenant(slug), due_at=due, reason="started")
    with as_web():
        told = machine.load()
    assert told == machine.load()
    assert (told["due"], told["oldest_due"], told["late"]) == (2, due, True)


def test_what_could_not_be_told_is_counted_over_all_tenants_and_its_words_are_not(
    settings: Settings,
) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    tenant = make_tenant("other")
    Notification.objects.create(
        tenant=tenant, person=bob(tenant), channel="mail", kind="case", subject="s", path="/",
        text="t", not_before=timezone.now(), state=Notification.State.FAILED, error="host of other",
    )  # fmt: skip
    with as_web():
        ok, said = machine._notifications()
    assert not ok
    assert said.startswith("1 given up")
    assert "host of other" not in said


def test_the_page_says_whether_it_stands(client: Client) -> None:
    client.force_login(bob(make_tenant()))
    assert DOES_NOT in words(client)
    with answering_as_web():
        assert STANDS in words(client)


def test_the_command_says_whether_it_stands() -> None:
    parameters = connection.get_connection_params()
    kept = {name: parameters[name] for name in ("dbname", "host", "port") if parameters.get(name)}
    with psycopg.connect(make_conninfo(**kept, user=parameters["user"])) as own:
        assert roles.told_of_wall(own) == roles.MISSING
        own.execute(f"SET ROLE {USER}".encode())
        assert roles.told_of_wall(own) == roles.STANDING


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_would_see_nothing_does_not_start(settings: Settings) -> None:
    settings.ROLE = "worker"
    assert list(groundcheck.schema_faults()) == []
    with as_web():
        (fault,) = groundcheck.schema_faults()
    assert "manage.py roles" in fault


def words(client: Client) -> str:
    return re.sub(r"\s+", " ", client.get("/system/").content.decode().replace("&#x27;", "'"))
