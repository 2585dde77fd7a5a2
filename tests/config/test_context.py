"""What the shell of every page is told: what waits for this person, what is stopped; three queries."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import RequestFactory
from pytest_django import DjangoAssertNumQueries

from config.context import nav
from reconciliation import stopping
from tenants.access import grant
from tenants.actors import Actor
from tenants.models import Tenant, User
from tenants.scope import access_of
from tests.doorbell import doorbell
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.people import ada, bob, cy, dee, make_tenant

__all__ = ["doorbell", "engine"]


def request_of(user: User | AnonymousUser, tenant: Tenant | None = None) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = user
    if tenant is not None:
        request.tenant = tenant  # type: ignore[attr-defined]
    return request


def asking(engine: Bench) -> None:
    engine.start(steps=1, tool="fake.void", what="a")
    engine.turn()


def test_questions_count_for_those_who_may_answer_them(engine: Bench) -> None:
    asking(engine)
    for person, waiting in [(engine.approver, 1), (engine.starter, 0), (bob(engine.tenant), 0)]:
        assert nav(request_of(person, engine.tenant))["nav"]["waiting"] == waiting


def test_cases_count_for_those_who_see_the_run(engine: Bench) -> None:
    engine.start("steps", steps="no number")
    engine.turn()
    assert nav(request_of(bob(engine.tenant), engine.tenant))["nav"]["waiting"] == 1
    neighbour = cy()
    grant(make_tenant("elsewhere"), neighbour, "view_runs")
    assert nav(request_of(neighbour, engine.tenant))["nav"]["waiting"] == 0


def test_only_the_tenants_of_the_person_are_named(engine: Bench) -> None:
    make_tenant("foreign")
    told = nav(request_of(ada(engine.tenant, make_tenant("other")), engine.tenant))["nav"]
    assert {tenant.slug for tenant in told["tenants"]} == {engine.tenant.slug, "other"}
    assert told["tenant"] == engine.tenant


def test_stops_of_this_tenant_and_of_everything_stand_on_its_pages(engine: Bench) -> None:
    actor = Actor.machine("test")
    stopping.stop(engine.tenant, "effects", why="own", actor=actor)
    stopping.stop(make_tenant("elsewhere"), "effects", why="foreign", actor=actor)
    stopping.stop(None, "new_runs", why="common", actor=actor)
    told = nav(request_of(engine.starter, engine.tenant))["nav"]["stops"]
    assert [(stop["reason"], stop["sentence"]) for stop in told] == [
        ("own", f"Effects are stopped for {engine.tenant.name}."),
        ("common", "New runs are stopped everywhere."),
    ]
    assert {stop["url"].partition("#stop-")[0] for stop in told} == {
        f"/t/{engine.tenant.slug}/stop/"
    }


def test_it_costs_three_queries_and_nothing_where_no_shell_is_shown(
    engine: Bench, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    asking(engine)
    request = request_of(dee(engine.tenant), engine.tenant)
    access_of(request)
    with django_assert_num_queries(0):
        told = nav(request)["nav"]
    with django_assert_num_queries(3):
        assert told["waiting"] == 1


@pytest.mark.django_db
def test_nobody_signed_in_is_told_nothing(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(0):
        assert dict(nav(request_of(AnonymousUser()))["nav"]) == {}
