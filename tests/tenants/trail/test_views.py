"""The audit page: who sees it, what its filters find, that every read is bounded, what is exported."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tenants import access
from tenants.actors import Actor
from tenants.audit import record
from tenants.chain import seal
from tenants.keys import hiding
from tenants.models import AuditRow, Tenant, User
from tenants.roles import ROLES
from tenants.trail import heads, reading, views
from tenants.trail.spreadsheets import safe
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db

RUN = "018f0000-0000-7000-8000-000000000001"


@pytest.fixture(autouse=True)
def _project(settings: Settings) -> None:
    settings.ROOT_URLCONF = "config.urls"


def auditor(*tenants: Tenant, codenames: tuple[str, ...] = ROLES["auditor"]) -> User:
    user = User.objects.create_user("fay@example.org", name="Fay")
    for tenant in tenants:
        access.grant(tenant, user, *codenames)
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def acme() -> Tenant:
    return make_tenant()


@pytest.fixture
def client(acme: Tenant) -> Client:
    return signed_in(auditor(acme))


def page(client: Client, **query: str) -> str:
    answer = client.get("/t/acme/audit/", query)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def some_rows(acme: Tenant) -> None:
    user = dee(acme)
    person, worker, said = Actor.person(user), Actor.machine("worker"), hiding.texts
    told = said(hash="ab12", reason="fine")
    record(acme, person, "approve", hiding.text(f"request:{RUN}"), **told)
    record(acme, worker, "intends", hiding.text(f"action {RUN}"), **said(attempt="1"))
    record(acme, worker, "started", hiding.text(f"run {RUN}"))
    record(acme, person, "refused_decide", hiding.text(f"request {RUN}"), **said(code="own_run"))


@pytest.mark.parametrize(
    ("who", "status"),
    [("auditor", 200), ("ada", 403), ("bob", 403), ("cy", 404), ("anonymous", 302)],
)
def test_only_the_right_to_audit_opens_the_page(acme: Tenant, who: str, status: int) -> None:
    people = {"auditor": auditor(acme), "ada": ada(acme), "bob": bob(acme), "cy": cy()}
    client = signed_in(people[who]) if who in people else Client()
    assert client.get("/t/acme/audit/").status_code == status
    answer = client.post("/t/acme/audit/export/", {"format": "csv"})
    assert answer.status_code == (401 if who == "anonymous" else status)
    assert list(answer)  # read to its end, a file is closed


def test_an_auditor_of_one_tenant_sees_nothing_of_another(client: Client) -> None:
    other = make_tenant("other")
    record(other, Actor.machine("worker"), "approve", hiding.text("request:secret-of-other"))
    assert "secret-of-other" not in page(client)
    assert client.get("/t/other/audit/").status_code == 404
    assert b"secret-of-other" not in exported(client)


def test_who_only_audits_reads_and_changes_nothing(acme: Tenant) -> None:
    client = signed_in(auditor(acme, codenames=("audit",)))
    some_rows(acme)
    text = page(client)
    assert "approve" in text
    assert f"/t/acme/approvals/{RUN}/" not in text, "no link to what they may not open"
    for path in ("runs/start/", "stop/", f"runs/{RUN}/cancellation/"):
        assert client.post(f"/t/acme/{path}").status_code in {403, 404}


def test_a_row_says_when_who_what_and_links_to_it(client: Client, acme: Tenant) -> None:
    some_rows(acme)
    text = page(client)
    assert "Dee" in text
    assert "refused decide" in text
    assert "worker <span" in text
    assert f'href="/t/acme/approvals/{RUN}/"' in text
    assert f'href="/t/acme/actions/{RUN}/"' in text
    assert f'href="/t/acme/runs/{RUN}/"' in text
    assert "hash: ab12" in text


def test_the_page_says_how_far_the_chain_is_proven(client: Client, acme: Tenant) -> None:
    assert "No row is linked into the chain yet." in page(client)
    assert "A row appears here for every decision" in page(client)
    some_rows(acme)
    assert "not linked yet" in page(client)
    seal()
    assert "4 rows in the chain, not signed yet." in page(client)
    heads.sign_due(after=timedelta())
    assert "signed to position 4 by the key" in page(client)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"who": "Dee"}, {"approve", "refused_decide"}),
        ({"who": "dee@example.org"}, {"approve", "refused_decide"}),
        ({"who": "worker"}, {"intends", "started"}),
        ({"verb": "started"}, {"started"}),
        ({"subject": RUN}, {"approve", "intends", "started", "refused_decide"}),
        ({"subject": f"action {RUN}"}, {"intends"}),
        ({"who": "worker", "verb": "intends"}, {"intends"}),
        ({"since": "2100-01-01"}, set()),
        ({"until": "2000-01-01"}, set()),
        ({"who": "\0", "since": "yesterday", "before": "x~y"}, None),
        ({"before": "2100-01-01T00:00:00+00:00~999999999999999999999"}, None),
        ({"before": "2000-01-01T00:00:00+00:00~1"}, set()),
    ],
)
def test_filters_live_in_the_address(
    client: Client, acme: Tenant, query: dict[str, str], expected: set[str] | None
) -> None:
    some_rows(acme)
    answer = client.get("/t/acme/audit/", query)
    found = {each.row.verb for each in answer.context["rows"]}
    everything = {"approve", "intends", "started", "refused_decide"}
    assert found == (everything if expected is None else expected)
    if not found:
        assert "Nothing matches these filters" in answer.content.decode()


def test_a_day_means_that_day_whole(client: Client, acme: Tenant) -> None:
    some_rows(acme)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert len(client.get("/t/acme/audit/", {"since": today, "until": today}).context["rows"]) == 4


def test_pages_follow_on_one_another_and_miss_no_row(
    client: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten rows of one moment: the number decides between equal times."""
    for n in range(10):
        record(acme, Actor.machine("worker"), "approve", hiding.text(f"request:{n}"))
    wanted, seen = reading.Wanted(), []
    while True:
        found = reading.page(acme, wanted, limit=3)
        seen += [row.subject for row in found.rows]
        if found.older is None:
            break
        wanted = reading.Wanted(before=found.older)
    assert seen == [f"request:{n}" for n in range(9, -1, -1)]
    monkeypatch.setattr(reading, "ROWS", 3)
    assert len(AuditRow.objects.filter(tenant=acme)) == 10


def test_the_page_asks_the_same_few_queries_however_many_rows(client: Client, acme: Tenant) -> None:
    some_rows(acme)
    with CaptureQueriesContext(
        connection,
    ) as few:
        page(client)
    for n in range(60):
        record(acme, Actor.machine("worker"), "approve", hiding.text(f"request:{n}"))
    with CaptureQueriesContext(connection) as many:
        page(client)
    assert len(many) == len(few)


MANY = """
INSERT INTO tenants_auditrow (tenant_id, at, actor_kind, actor_id, actor_name, verb, subject, detail)
SELECT %s, now() - make_interval(secs => n), 'machine', 'worker-' || n %% 500, '',
       'verb-' || n %% 300, 'request:' || n, '{}'
  FROM generate_series(1, 20000) AS n
"""


def test_no_filter_reads_the_whole_table(acme: Tenant) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(MANY, [acme.pk])
        cursor.execute("ANALYZE tenants_auditrow")
    now = datetime.now(UTC)
    for wanted in (
        reading.Wanted(),
        reading.Wanted(who="worker-7"),
        reading.Wanted(verb="verb-7"),
        reading.Wanted(subject="7"),
        reading.Wanted(since=now - timedelta(minutes=9), until=now - timedelta(minutes=5)),
        reading.Wanted(before=reading.Place(now - timedelta(hours=2), 5)),
        reading.Wanted(verb="verb-7", before=reading.Place(now - timedelta(hours=2), 5)),
    ):
        plan = reading._filtered(acme, wanted).order_by("-at", "-audit_id")[:51].explain()
        assert "Seq Scan on tenants_auditrow" not in plan, wanted
        assert "audit_by_" in plan, (wanted, plan)
    assert reading.verbs(acme)[:2] == ["verb-0", "verb-1"]


def exported(client: Client, kind: str = "csv", **query: str) -> bytes:
    answer = client.post("/t/acme/audit/export/", {"format": kind, **query})
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="audit-acme-')
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def test_the_export_has_every_row_that_matches_and_is_audited(
    client: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BATCH", 2)
    some_rows(acme)
    lines = list(csv.reader(io.StringIO(exported(client).decode())))
    assert [line[4] for line in lines] == [
        "verb",
        "refused_decide",
        "started",
        "intends",
        "approve",
    ]
    told: list[Any] = [
        json.loads(each) for each in exported(client, "json", who="Dee").splitlines()
    ]
    assert [each["verb"] for each in told] == ["refused_decide", "approve"]
    last = AuditRow.objects.filter(verb="export_audit").latest("audit_id")
    assert last.actor_name == "Fay"
    assert last.detail == {"rows": 2, "format": "json", "who": "Dee"}


def test_looking_at_the_page_writes_nothing(client: Client, acme: Tenant) -> None:
    some_rows(acme)
    page(client)
    assert AuditRow.objects.count() == 4
    assert client.get("/t/acme/audit/export/").status_code == 405
    assert client.post("/t/acme/audit/").status_code == 405


def test_an_export_that_would_be_cut_is_refused(
    client: Client, acme: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MOST_EXPORTED", 3)
    some_rows(acme)
    answer = client.post("/t/acme/audit/export/", {"format": "csv"})
    assert answer.status_code == 422
    assert "More than 3 rows match" in answer.content.decode()
    assert not AuditRow.objects.filter(verb="export_audit").exists()


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "|calc", "%x", "  =1", "\uff1d1"])
def test_no_cell_is_a_formula(cell: str) -> None:
    assert safe(cell).startswith("'")


def test_a_cell_shows_what_hides_in_it() -> None:
    assert safe("a\u202eb") == "a⟦U+202E⟧b"
    assert safe("\t=1").startswith("⟦U+0009⟧")
    assert safe("request:1") == "request:1"


def test_an_export_needs_its_token(acme: Tenant) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(auditor(acme))
    assert client.post("/t/acme/audit/export/", {"format": "csv"}).status_code == 403
