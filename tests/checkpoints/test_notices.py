"""Who is told of cases and stops, and whom an unclaimed case goes to."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from pytest_django import Settings

from checkpoints import cases, notices, stops
from checkpoints.cases import Ruling, Trouble
from checkpoints.models import Case
from tenants import access
from tenants.actors import Actor
from tenants.models import Tenant, User
from tenants.notifications.models import Notification
from tests.engine.turns import Bench
from tests.people import ada, bob, dee, make_tenant

pytestmark = pytest.mark.django_db
ENGINE = Actor.machine("engine")


@pytest.fixture(autouse=True)
def _on(settings: Settings) -> None:
    settings.KEDGE_NOTIFICATIONS = True


def told(kind: str) -> list[User]:
    rows = Notification.objects.filter(kind=kind, state="waiting").order_by("person_id")
    return [row.person for row in rows]


def held(engine: Bench) -> Case:
    """A case of late evidence: the one that does not hold its run."""
    run = engine.start(tool="fake.void", what="secret-thing")
    trouble = Trouble("contradicted", "Evidence against a verdict on secret-thing.")
    return cases.open_case(engine.tenant.pk, run.pk, trouble, actor=ENGINE)


def test_who_may_give_a_verdict_is_told_and_of_nothing_more(engine: Bench) -> None:
    case = held(engine)
    assert told("case_opened") == [engine.starter]
    row = Notification.objects.get()
    assert (row.path, row.subject) == (
        f"/t/{engine.tenant.slug}/cases/{case.pk}/",
        f"case:{case.pk}",
    )
    assert "secret-thing" not in row.text
    assert case.run.business_key not in row.text


def test_a_decided_case_is_told_no_more(engine: Bench) -> None:
    case = held(engine)
    cases.decide(case, Ruling("go_on", "Looked at it."), user=engine.starter)
    assert told("case_opened") == []


def test_nobody_came_so_the_owner_is_told_once(engine: Bench, settings: Settings) -> None:
    case = held(engine)
    assert notices.escalate_cases(10) == 0
    late = case.opened_at - timedelta(minutes=settings.KEDGE_ESCALATE_MINUTES + 1)
    Case.objects.filter(pk=case.pk).update(opened_at=late)
    watcher = bob(engine.tenant)
    watcher.groups.add(Group.objects.create(name=settings.PRACTICE["owner"]))
    assert notices.escalate_cases(10) == 1
    assert notices.escalate_cases(10) == 0
    assert told("unclaimed") == [watcher]


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def test_an_owner_nobody_knows_leaves_it_to_who_manages_the_tenant(tenant: Tenant) -> None:
    access.grant(tenant, dee(tenant), "manage_tenant")
    assert notices.owners(tenant, "no-such-task") == [dee()]


def test_an_owner_without_a_right_there_is_told_nothing(tenant: Tenant, settings: Settings) -> None:
    settings.PRACTICE = {**settings.PRACTICE, "owner": "ada@example.org"}
    ada(make_tenant("other"))
    assert notices.owners(tenant, "no-such-task") == []
    ada(tenant)
    assert notices.owners(tenant, "no-such-task") == [ada()]


def test_a_stop_is_told_to_the_others_who_operate(tenant: Tenant) -> None:
    first, second = ada(tenant), dee(tenant)
    access.grant(tenant, second, "operate_runs")
    stops.stop(tenant, "effects", why="customer 4711 called", actor=Actor.person(first))
    assert told("stop_set") == [second]
    row = Notification.objects.get()
    assert (row.tenant, row.path) == (tenant, "/t/acme/stop/")
    assert row.text == "Ada set a stop on effects at Acme."


def test_a_stop_of_everything_is_told_at_every_tenant(tenant: Tenant) -> None:
    elsewhere = make_tenant("other")
    ada(elsewhere)
    access.grant(tenant, dee(tenant), "operate_runs")
    bob(tenant)
    stops.stop(None, "new_runs", why="Incident.", actor=Actor.machine("command"))
    assert told("stop_set") == [ada(), dee()]
    assert set(Notification.objects.values_list("path", flat=True)) == {"/system/"}
