"""Signed heads: whoever owns the database cannot rewrite a chain without it being found."""

import base64
import json
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from pytest_django import Settings

from tenants.actors import Actor
from tenants.audit import record
from tenants.chain import seal, verify_chain
from tenants.errors import HeadsNotKept
from tenants.keys import hiding
from tenants.models import AuditHead, AuditRow, AuditSeal, AuditUnsigned, Tenant
from tenants.signing import SigningKey
from tenants.trail import heads
from tenants.trail.rows import as_json
from tenants.trail.seals import GENESIS, content_digest, link_digest
from tests.people import make_tenant
from tests.tenants.test_chain import triggers_off

pytestmark = pytest.mark.django_db

SWEEPER = Actor.machine("sweeper")
NOW = timedelta()


def grow(tenant: Tenant | None, rows: int) -> None:
    for n in range(rows):
        record(tenant, SWEEPER, "approve", hiding.text(f"action:{n}"))
    seal()


def grow_and_sign(tenant: Tenant | None, rows: int = 3) -> None:
    grow(tenant, rows)
    heads.sign_due(after=NOW)


def rewrite(tenant: Tenant, subject: str) -> None:
    """What an intruder who owns the tables does: change a row, and compute the whole chain anew."""
    with triggers_off():
        AuditRow.objects.filter(tenant=tenant, subject="action:1").update(subject=subject)
        previous = GENESIS
        for each in AuditSeal.objects.filter(tenant=tenant).order_by("position"):
            content = content_digest(as_json(AuditRow.objects.get(pk=each.row_id)))
            digest = link_digest(each.position, previous, content)
            AuditSeal.objects.filter(pk=each.pk).update(
                previous=previous, content=content, digest=digest
            )
            previous = digest


def sentences(tenant: Tenant | None) -> str:
    return " ".join(problem.sentence for problem in verify_chain(tenant).problems)


def test_a_chain_that_grew_is_signed_once_and_then_left_alone() -> None:
    acme = make_tenant()
    grow(acme, 3)
    assert heads.sign_due() == 0, "not yet: it grew a moment ago"
    assert heads.sign_due(after=NOW) == 1
    assert heads.sign_due(after=NOW) == 0
    report = verify_chain(acme)
    assert (report.links, report.signed_to, report.heads, report.problems) == (3, 3, 1, [])
    assert not AuditUnsigned.objects.exists()


def test_many_rows_are_signed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "EVERY", 4)
    acme, other = make_tenant("acme"), make_tenant("other")
    grow(acme, 3)
    grow(other, 1)
    grow(acme, 1)
    assert heads.sign_due() == 1
    assert AuditHead.objects.get().tenant == acme


def test_each_tenant_and_the_installation_sign_for_themselves() -> None:
    acme = make_tenant()
    grow_and_sign(acme, 2)
    grow_and_sign(None, 1)
    assert verify_chain(acme).signed_to == 2
    assert verify_chain(None).signed_to == 1


def test_a_chain_computed_anew_by_the_databases_owner_is_found() -> None:
    acme = make_tenant()
    grow_and_sign(acme)
    grow_and_sign(acme)
    rewrite(acme, "action:9")
    problems = verify_chain(acme).problems
    assert [problem.position for problem in problems] == [3, 6]
    assert "rewritten somewhere from position 1 to 3" in problems[0].sentence


def test_it_is_found_by_the_file_when_the_heads_are_removed_too() -> None:
    acme = make_tenant()
    grow_and_sign(acme)
    rewrite(acme, "action:9")
    with triggers_off():
        AuditHead.objects.all().delete()
    assert [problem.position for problem in verify_chain(acme).problems] == [3]


def test_a_chain_cut_off_at_its_end_is_found() -> None:
    acme = make_tenant()
    grow_and_sign(acme)
    with triggers_off():
        AuditSeal.objects.filter(position=3).delete()
        AuditRow.objects.filter(subject="action:2").delete()
        AuditHead.objects.all().delete()
    assert "its end was cut off, or this is an older copy" in sentences(acme)


def test_a_head_made_up_with_another_key_is_not_believed(settings: Settings) -> None:
    acme = make_tenant()
    grow_and_sign(acme)
    rewrite(acme, "action:9")
    with triggers_off():
        AuditHead.objects.all().delete()
    heads.path().unlink()
    ours = settings.KEDGE_SIGNING_KEY
    settings.KEDGE_SIGNING_KEY = base64.b64encode(b"o" * 32).decode()
    AuditUnsigned.objects.create(tenant=acme, rows=1)
    heads.sign_due(after=NOW)
    settings.KEDGE_SIGNING_KEY = ours
    assert "which you have not named as believed" in sentences(acme)


def test_heads_of_a_key_that_was_changed_are_still_believed(settings: Settings) -> None:
    acme = make_tenant()
    grow_and_sign(acme)
    older = SigningKey.of(settings.KEDGE_SIGNING_KEY).public.text
    settings.KEDGE_SIGNING_KEY = base64.b64encode(b"n" * 32).decode()
    grow_and_sign(acme)
    assert "not named as believed" in sentences(acme)
    settings.KEDGE_OLDER_PUBLIC_KEYS = [older]
    assert verify_chain(acme).problems == []
    assert len({head["key"] for head in heads.of(acme)}) == 2


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("position", 2),
        ("digest", "0" * 64),
        ("at", "2020-01-01T00:00:00.000000+00:00"),
        ("installation", "another"),
    ],
)
def test_a_line_of_the_file_that_was_changed_is_found(member: str, value: object) -> None:
    acme = make_tenant()
    grow_and_sign(acme)
    (head,) = heads.kept_elsewhere()
    with triggers_off():
        AuditHead.objects.all().delete()
    heads.path().write_text(json.dumps(head | {member: value}))
    assert "is not what the key" in sentences(acme)


def test_a_torn_line_in_the_file_says_nothing() -> None:
    acme = make_tenant()
    grow_and_sign(acme)
    with heads.path().open("ab") as file:
        file.write(b'\n{"torn')
    grow_and_sign(acme)
    assert [head["position"] for head in heads.kept_elsewhere()] == [3, 6]
    assert verify_chain(acme).problems == []


def test_nothing_is_signed_when_the_file_cannot_be_written(settings: Settings) -> None:
    acme = make_tenant()
    grow(acme, 2)
    heads.path().mkdir()
    with pytest.raises(HeadsNotKept, match="cannot be written"):
        heads.sign_due(after=NOW)
    assert not AuditHead.objects.exists()
    heads.path().rmdir()
    assert heads.sign_due(after=NOW) == 1


def test_only_the_owner_reads_the_file() -> None:
    grow_and_sign(make_tenant())
    assert heads.path().stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("table", [AuditRow, AuditSeal, AuditHead])
@pytest.mark.parametrize(
    "change", ["UPDATE {} SET tenant_id = NULL", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
)
def test_the_database_refuses_to_change_what_is_signed(
    table: type[AuditRow | AuditSeal | AuditHead], change: str
) -> None:
    with pytest.raises(IntegrityError, match=r"only ever added to: .* is refused for everybody"):
        connection.cursor().execute(change.format(table._meta.db_table))
