"""The audit trail as written: in the caller's transaction, refusals outside it, never changed."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from canonical.errors import CanonicalError
from tenants.actors import Actor
from tenants.audit import OWN_ROWS, STRANGERS_ROWS, close_windows, record, refuse
from tenants.keys import hiding
from tenants.models import AuditRow, AuditSeal, RefusalCount
from tests.people import ada, make_tenant

SWEEPER = Actor.machine("sweeper")


def age_counts() -> None:
    RefusalCount.objects.update(since=Now() - timedelta(minutes=11))


@pytest.mark.django_db
def test_a_row_says_who_did_what_to_what() -> None:
    acme = make_tenant()
    user = ada(acme)
    row = record(
        acme, Actor.person(user), "approve", hiding.text("action:7"), hash=hiding.text("ab"), n=1.0
    )
    row.refresh_from_db()
    assert (row.actor_kind, row.actor_id, row.actor_name) == ("person", str(user.pk), "Ada")
    assert (row.tenant, row.verb, row.subject) == (acme, "approve", "action:7")
    assert row.detail == {"hash": "ab", "n": 1}
    assert row.at is not None


@pytest.mark.django_db
def test_a_detail_that_is_not_canonical_is_refused() -> None:
    with pytest.raises(CanonicalError, match="/amount"):
        record(None, SWEEPER, "approve", hiding.text("action:7"), amount=float("nan"))


@pytest.mark.django_db
def test_a_row_goes_when_its_transaction_rolls_back() -> None:
    class Undone(Exception):
        pass

    def undone() -> None:
        with transaction.atomic():
            record(None, SWEEPER, "approve", hiding.text("action:7"))
            raise Undone

    with pytest.raises(Undone):
        undone()
    assert not AuditRow.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_refusal_inside_a_transaction_is_a_mistake() -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        refuse(None, SWEEPER, "approve", hiding.text("action:7"))
    assert refuse(None, SWEEPER, "approve", hiding.text("action:7"))
    assert AuditRow.objects.get().verb == "refused_approve"


@pytest.mark.django_db
def test_refusals_too_often_are_counted_and_summed_up() -> None:
    acme = make_tenant()
    actor = Actor.person(ada(acme))
    written = [
        refuse(acme, actor, "approve", hiding.text(f"action:{n}")) for n in range(OWN_ROWS + 3)
    ]
    assert written == [True] * OWN_ROWS + [False] * 3
    assert refuse(None, actor, "approve", hiding.text("action:1")), (
        "another tenant counts for itself"
    )
    assert refuse(acme, actor, "cancel", hiding.text("run:1")), "another verb counts for itself"
    age_counts()
    close_windows()
    summary = AuditRow.objects.get(verb="count_refused_approve")
    assert summary.tenant == acme
    assert summary.subject == f"person:{actor.id}"
    assert summary.detail["attempts"] == OWN_ROWS + 3
    assert not RefusalCount.objects.exists()
    assert refuse(acme, actor, "approve", hiding.text("action:1")), "a new window begins"


@pytest.mark.django_db
def test_a_window_still_open_is_left_alone() -> None:
    refuse(None, SWEEPER, "approve", hiding.text("action:7"))
    assert close_windows() == 0
    assert RefusalCount.objects.count() == 1


@pytest.mark.django_db
def test_strangers_with_many_addresses_cannot_fill_the_table() -> None:
    for n in range(STRANGERS_ROWS + 50):
        refuse(
            None,
            Actor.stranger(f"10.0.{n // 256}.{n % 256}"),
            "sign_in",
            hiding.text("x@example.org"),
        )
    assert AuditRow.objects.count() == STRANGERS_ROWS
    assert RefusalCount.objects.count() == STRANGERS_ROWS + 1
    age_counts()
    close_windows()
    summary = AuditRow.objects.get(verb="count_refused_sign_in")
    assert summary.subject == "all strangers"
    assert summary.detail["attempts"] == STRANGERS_ROWS + 50


@pytest.mark.django_db
@pytest.mark.parametrize("table", [AuditRow, AuditSeal])
@pytest.mark.parametrize("change", ["UPDATE {} SET tenant_id = NULL", "DELETE FROM {}"])
def test_the_database_refuses_to_change_the_trail(
    table: type[AuditRow | AuditSeal], change: str
) -> None:
    statement = change.format(table._meta.db_table)
    with pytest.raises(IntegrityError, match=r"only ever added to: .* is refused for everybody"):
        connection.cursor().execute(statement)


@pytest.mark.django_db
def test_the_database_refuses_an_actor_of_no_kind() -> None:
    with pytest.raises(IntegrityError, match="a_person_a_machine_or_a_stranger"):
        AuditRow.objects.create(actor_kind="model", verb="approve", subject="action:7")
