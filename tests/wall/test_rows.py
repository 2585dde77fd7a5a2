"""What PostgreSQL shows and takes from the web process' user, whatever the query says."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.db import DataError, ProgrammingError, connection, transaction

from checkpoints import events
from checkpoints.models import Event, Run, Stop
from tenants import access, audit, wall
from tenants.actors import Actor
from tenants.database import execute
from tenants.keys import hiding
from tenants.models import AuditRow, Tenant, TenantUserObjectPermission
from tests.approvals.asking import git_diff, question
from tests.approvals.questions import ask, make_run
from tests.people import ada, cy, make_tenant
from tests.wall.role import as_web

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("web_user", "doorbell")]
ME = Actor.machine("test")
REFUSED = "row-level security"


class Two(NamedTuple):
    """Two tenants, each with a run that asks for a decision."""

    acme: Tenant
    other: Tenant
    mine: Run
    theirs: Run


@pytest.fixture
def two() -> Two:
    runs = []
    for tenant in (make_tenant("acme"), make_tenant("other")):
        runs.append(make_run(tenant, started_by=ada(tenant)))
        ask(question(runs[-1], git_diff(2)))
        events.append(runs[-1].pk, "started", ME)
        audit.record(tenant, ME, "start", hiding.text(f"run:{runs[-1].pk}"))
    return Two(runs[0].tenant, runs[1].tenant, *runs)


@pytest.fixture(autouse=True)
def nothing_is_shown() -> Any:
    yield
    wall.show_nothing()


def show(*tenants: Tenant) -> None:
    ids = [tenant.pk for tenant in tenants]
    wall.show(ids, ids)


def counts() -> dict[str, int]:
    """How many rows of every closed table there are to see, by a query without any filter."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT polrelid::regclass::text FROM pg_policy WHERE polname = 'kedge_tenant'"
        )
        found = {}
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT count(*) FROM {table}")
            found[table] = cursor.fetchone()[0]
    return found


def test_a_query_without_a_tenant_shows_nothing(two: Two) -> None:
    assert counts()["checkpoints_run"] == 2
    with as_web():
        assert {table: n for table, n in counts().items() if n} == {}
        assert list(Tenant.objects.all()) == []


def test_a_query_without_a_tenant_shows_those_that_are_shown(two: Two) -> None:
    show(two.acme)
    with as_web():
        assert list(Run.objects.all()) == [two.mine]
        assert {event.run_id for event in Event.objects.all()} == {two.mine.pk}
        assert {row.tenant_id for row in AuditRow.objects.all()} == {two.acme.pk}
        assert list(Tenant.objects.all()) == [two.acme]
        assert {right.content_object_id for right in TenantUserObjectPermission.objects.all()} == {
            two.acme.pk
        }
    show(two.acme, two.other)
    with as_web():
        assert Run.objects.count() == 2


def test_on_a_page_of_one_tenant_the_others_are_known_by_name_only(two: Two) -> None:
    wall.show([two.acme.pk], [two.acme.pk, two.other.pk])
    with as_web():
        assert set(Tenant.objects.all()) == {two.acme, two.other}
        assert list(Run.objects.all()) == [two.mine]


def test_a_partition_shows_no_more_than_its_table(two: Two) -> None:
    show(two.acme)
    with as_web(), connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT run_id FROM checkpoints_event_any")
        assert cursor.fetchall() == [(two.mine.pk,)]


WRITES: dict[str, Callable[[Two], object]] = {
    "an audit row": lambda two: audit.record(two.other, ME, "start", hiding.text("run")),
    "an event of a run": lambda two: events.append(two.theirs.pk, "started", ME),
    "a run": lambda two: make_run(two.other, started_by=two.mine.started_by),
    "a run given away": lambda two: Run.objects.filter(pk=two.mine.pk).update(tenant=two.other),
    "a stop": lambda two: Stop.objects.create(
        tenant=two.other, lock="effects", why="no", stopped_by="somebody"
    ),
    "a tenant": lambda two: Tenant.objects.create(slug="new", name=two.acme.name),
    "a right": lambda two: access.grant(two.other, cy(), "audit"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_nothing_is_written_at_a_tenant_that_is_not_shown(
    two: Two, write: Callable[[Two], object]
) -> None:
    show(two.acme)
    with as_web(), pytest.raises(ProgrammingError, match=REFUSED), transaction.atomic():
        write(two)


def test_rows_that_are_not_shown_are_neither_changed_nor_deleted(two: Two) -> None:
    show(two.acme)
    with as_web():
        assert Run.objects.filter(pk=two.theirs.pk).update(business_key="mine") == 0
        assert Run.objects.filter(pk=two.mine.pk).update(business_key="mine") == 1
        assert TenantUserObjectPermission.objects.filter(content_object=two.other).delete()[0] == 0
    assert TenantUserObjectPermission.objects.filter(content_object=two.other).exists()


def test_what_is_the_installations_is_written_and_read_without_a_tenant() -> None:
    with as_web():
        row = audit.record(None, Actor.stranger("192.0.2.1"), "sign_in", hiding.text("person"))
        assert AuditRow.objects.get().pk == row.pk
        Stop.objects.create(lock="effects", why="all of it", stopped_by="somebody")
        assert Stop.objects.count() == 1


def test_what_a_person_may_do_is_known_before_any_tenant_is_shown(two: Two) -> None:
    person = ada(two.acme, two.other)
    with as_web():
        assert set(access.of(person).rights) == {two.acme.pk, two.other.pk}


@pytest.mark.parametrize("bad", ["x", "1,", "1 OR true", "{1}"])
def test_a_setting_that_is_no_list_of_ids_shows_nothing(two: Two, bad: str) -> None:
    with as_web(), transaction.atomic():
        execute("SELECT set_config('kedge.tenants', %(bad)s, true)", {"bad": bad})
        with pytest.raises(DataError), transaction.atomic():
            Run.objects.count()
