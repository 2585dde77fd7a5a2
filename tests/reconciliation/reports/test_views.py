"""Pages of reports: from an upload to what is matched, with nothing lost on bad input."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reconciliation.reports import reading
from reconciliation.reports.models import ColumnMap, Draft, Report
from tenants.access import grant
from tenants.models import AuditRow
from tests import people
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import signed_in, unknown_mail

pytestmark = pytest.mark.django_db
TOOL = "fake.nothing"
MEANT = {"reference": "ref", "unit": "major", "decimal": "."}


@pytest.fixture
def client(engine: Bench) -> Client:
    return signed_in(engine.starter)


def at(engine: Bench, name: str, *ids: object) -> str:
    return reverse(f"reconciliation:{name}", args=[engine.tenant.slug, *ids])


def upload(client: Client, engine: Bench, content: bytes = b"ref\nx\n", **more: Any) -> Any:
    now = timezone.now()
    given = {
        "tool": TOOL,
        "file": SimpleUploadedFile("report.csv", content),
        "since": f"{now - timedelta(hours=1):%Y-%m-%dT%H:%M}",
        "until": f"{now + timedelta(hours=1):%Y-%m-%dT%H:%M}",
    }
    return client.post(at(engine, "reports"), given | more)


def test_an_upload_is_read_matched_and_shown(engine: Bench, client: Client) -> None:
    case = unknown_mail(engine)
    answer = upload(client, engine, f"id,ref\n1,{case.action_id}\n2,elsewhere\n".encode())
    assert answer["Location"] == at(engine, "report_draft")
    page = client.get(answer["Location"])
    assert page.context["form"].initial["reference"] == "ref"
    assert str(case.action_id) in page.content.decode()
    answer = client.post(answer["Location"], MEANT)
    report = Report.objects.get()
    assert answer["Location"] == at(engine, "report", report.pk)
    page = client.get(answer["Location"])
    assert [(each.kind, each.number, each.open_now) for each in page.context["tallies"][:2]] == [
        ("matched", 1, 1),
        ("different", 0, 0),
    ]
    assert "from=report" in page.content.decode()
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (b"ref\n", "no line below"), (b"ref,ref\n1,2\n", "two columns")],
)
def test_what_cannot_be_read_comes_back_with_what_was_typed(
    engine: Bench, client: Client, content: bytes, said: str
) -> None:
    page = upload(client, engine, content, since="2026-01-02T03:04")
    assert page.status_code == 422
    assert said in page.content.decode()
    assert 'value="2026-01-02T03:04"' in page.content.decode()
    assert not Draft.objects.exists()


def test_columns_that_do_not_fit_keep_the_upload(engine: Bench, client: Client) -> None:
    upload(client, engine, b"ref,amount\nx,many\n")
    page = client.post(at(engine, "report_draft"), MEANT | {"amount": "amount"})
    assert page.status_code == 422
    assert "is no plain number" in page.content.decode()
    assert Draft.objects.exists()
    assert client.post(at(engine, "report_draft"), MEANT).status_code == 302


def test_a_status_column_without_words_is_refused(engine: Bench, client: Client) -> None:
    upload(client, engine, b"ref,status\nx,paid\n")
    page = client.post(at(engine, "report_draft"), MEANT | {"status": "status"})
    assert "mean that it was done" in page.content.decode()
    assert not ColumnMap.objects.exists()


def test_what_was_said_of_a_tools_columns_is_asked_once(engine: Bench, client: Client) -> None:
    upload(client, engine, b"status,ref\npaid,x\n")
    client.post(at(engine, "report_draft"), MEANT | {"status": "status", "done": "paid, settled"})
    upload(client, engine, b"status,ref\nsettled,y\n")
    form = client.get(at(engine, "report_draft")).context["form"]
    assert (form.initial["status"], form.initial["done"]) == ("status", "paid, settled")


def test_an_upload_can_be_thrown_away(engine: Bench, client: Client) -> None:
    upload(client, engine)
    client.post(at(engine, "report_discard"))
    assert client.get(at(engine, "report_draft"))["Location"] == at(engine, "reports")
    assert not Draft.objects.exists()


def test_the_file_is_taken_along_unchanged_and_that_is_audited(
    engine: Bench, client: Client
) -> None:
    content = b"ref,note\nx,<script>\n"
    upload(client, engine, content)
    client.post(at(engine, "report_draft"), MEANT)
    report = Report.objects.get()
    answer = client.post(at(engine, "report_file", report.pk))
    assert answer.content == content
    assert answer["Content-Type"] == "application/octet-stream"
    assert AuditRow.objects.filter(verb="read_report_file").count() == 1


def test_who_may_not_read_payloads_sees_names_and_no_values(engine: Bench) -> None:
    pen = people.bob(engine.tenant)
    grant(engine.tenant, pen, "reconcile_actions")
    client = signed_in(pen)
    upload(client, engine, b"ref,customer\nx,Ada Lovelace\n")
    page = client.get(at(engine, "report_draft")).content.decode()
    assert "customer" in page
    assert "Lovelace" not in page


def test_one_persons_upload_is_nobody_elses(engine: Bench, client: Client) -> None:
    upload(client, engine)
    other = signed_in(people.eve(engine.tenant))
    assert other.get(at(engine, "report_draft")).status_code == 302


def test_lists_are_of_one_tenant_and_bounded(
    engine: Bench, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(client, engine, b"ref\n1\n2\n3\n")
    client.post(at(engine, "report_draft"), MEANT)
    upload(client, engine, b"ref\n4\n")
    client.post(at(engine, "report_draft"), MEANT)
    first, second = Report.objects.order_by("number")
    assert reading.newest(people.make_tenant("other")) == []
    monkeypatch.setattr(reading, "NEWEST", 1)
    assert reading.newest(engine.tenant) == [second]
    monkeypatch.setattr(reading, "A_PAGE", 2)
    some, more = reading.lines(first, "unknown_to_us", after=0)
    assert ([each.line.number for each in some], more) == ([2, 3], True)
    rest, more = reading.lines(first, "unknown_to_us", after=some[-1].line.pk)
    assert ([each.line.number for each in rest], more) == ([4], False)
