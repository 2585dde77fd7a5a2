"""Evidence from the pages: who gets which copy, that it is audited, and that looking writes nothing."""

import json
from typing import Any

import pytest
from django.test import Client

from reconciliation.evidence.verifying import verify
from reconciliation.models import Action
from tenants import access
from tenants.models import AuditRow, User
from tenants.trail import heads
from tests.engine.turns import Bench
from tests.people import bob, cy, make_tenant
from tests.reconciliation.evidence.samples import settled_run

pytestmark = pytest.mark.django_db(transaction=True)

Json = Any


@pytest.fixture
def paths(engine: Bench) -> list[str]:
    """The run's and the effect's evidence."""
    run = settled_run(engine)
    action = Action.objects.get(run=run)
    base = f"/t/{engine.tenant.slug}"
    return [f"{base}/runs/{run.pk}/evidence/", f"{base}/actions/{action.pk}/evidence/"]


def with_rights(engine: Bench, *codenames: str) -> Client:
    user = User.objects.create_user("fay@example.org", name="Fay")
    access.grant(engine.tenant, user, "view_runs", *codenames)
    return signed_in(user)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize(("right", "whole"), [("audit", False), ("read_payloads", True)])
def test_each_right_gets_its_copy_and_the_copy_holds(
    engine: Bench, paths: list[str], right: str, whole: bool
) -> None:
    client = with_rights(engine, right)
    for path in paths:
        answer = client.post(path)
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"].startswith('attachment; filename="evidence-')
        assert verify(answer.content, heads.believed()).faults == []
        contents = json.loads(answer.content)["contents"]
        assert (None not in contents.values()) is whole
    rows = AuditRow.objects.filter(verb="export_evidence", actor_name="Fay")
    assert [row.detail for row in rows] == [{"payloads": whole}] * 2


def test_who_has_neither_right_gets_nothing_and_is_told_why(
    engine: Bench, paths: list[str]
) -> None:
    client = signed_in(bob(engine.tenant))
    for path in paths:
        assert client.post(path).status_code == 403
    assert AuditRow.objects.filter(verb="refused_audit", actor_name="Bob").count() == 2
    assert not AuditRow.objects.filter(verb="export_evidence").exists()
    assert "needs the right to audit" in client.get(paths[0]).content.decode()


def test_a_stranger_learns_nothing(engine: Bench, paths: list[str]) -> None:
    other = make_tenant("other")
    client = signed_in(bob(other))
    for path in paths:
        assert signed_in(cy()).post(path).status_code == 404
        assert client.post(path.replace(engine.tenant.slug, "other")).status_code == 404
        assert Client().post(path).status_code == 401


def test_looking_writes_nothing(engine: Bench, paths: list[str]) -> None:
    client = with_rights(engine, "audit")
    before = AuditRow.objects.count()
    page = client.get(paths[0]).content.decode()
    assert "Download evidence without payloads" in page
    assert client.head(paths[0]).status_code == 200
    assert client.get(paths[1]).status_code == 405
    assert "Evidence" in client.get(paths[1].removesuffix("evidence/")).content.decode()
    assert AuditRow.objects.count() == before


def test_the_download_needs_its_token(engine: Bench, paths: list[str]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(engine.approver)
    for path in paths:
        assert client.post(path).status_code == 403
    assert not AuditRow.objects.filter(verb="export_evidence").exists()
