"""The audit trail as proved: linked once, in order of sealing, and every tampering found."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Barrier, Event

import pytest
from django.db import IntegrityError, connection, transaction

from tenants.actors import Actor
from tenants.audit import record
from tenants.chain import GENESIS, seal, verify_chain
from tenants.keys import hiding
from tenants.models import AuditRow, AuditSeal, AuditUnsealed, Tenant
from tests.people import make_tenant
from tests.tenants.threads import in_thread

SWEEPER = Actor.machine("sweeper")


def write(tenant: Tenant | None, *subjects: str) -> list[AuditRow]:
    return [record(tenant, SWEEPER, "approve", hiding.text(subject), n=1) for subject in subjects]


@contextmanager
def triggers_off() -> Iterator[None]:
    """What an intruder with the owner's rights would do first."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        try:
            yield
        finally:
            cursor.execute("SET session_replication_role = DEFAULT")


@pytest.mark.django_db
def test_each_tenant_and_the_installation_have_their_own_chain() -> None:
    acme, other = make_tenant("acme"), make_tenant("other")
    for tenant in (acme, None, other, acme, None):
        write(tenant, "action:1")
    assert seal() == 5
    assert seal() == 0
    for tenant, length in ((acme, 2), (None, 2), (other, 1)):
        seals = list(AuditSeal.objects.filter(tenant=tenant).order_by("position"))
        assert [s.position for s in seals] == list(range(1, length + 1))
        assert [bytes(s.previous) for s in seals] == [
            GENESIS,
            *(bytes(s.digest) for s in seals[:-1]),
        ]
        assert verify_chain(tenant).problems == []


@pytest.mark.django_db
def test_sealing_goes_on_where_it_stopped() -> None:
    acme = make_tenant()
    rows = write(acme, *"abcde")
    assert [seal(limit=2), seal(limit=2), seal(limit=2)] == [2, 2, 1]
    seals = AuditSeal.objects.filter(tenant=acme).order_by("position")
    assert [s.row_id for s in seals] == [row.pk for row in rows]
    assert not AuditUnsealed.objects.exists()
    assert verify_chain(acme).problems == []


@pytest.mark.django_db(transaction=True)
def test_a_row_that_commits_late_with_a_smaller_number_is_sealed_later() -> None:
    acme = make_tenant()
    inserted, go = Event(), Event()

    def late() -> None:
        with transaction.atomic():
            write(acme, "late")
            inserted.set()
            assert go.wait(10)

    thread = in_thread(late)
    assert inserted.wait(10)
    write(acme, "early")
    assert seal() == 1
    go.set()
    thread.join()
    assert seal() == 1
    seals = AuditSeal.objects.filter(tenant=acme).select_related("row").order_by("position")
    assert [s.row.subject for s in seals] == ["early", "late"]
    assert seals[0].row_id > seals[1].row_id
    assert verify_chain(acme).problems == []


@pytest.mark.django_db(transaction=True)
def test_two_sealers_at_once_give_no_row_two_successors() -> None:
    acme = make_tenant()
    write(acme, *(f"action:{n}" for n in range(60)))
    start = Barrier(2)

    def sealer() -> None:
        start.wait(10)
        while AuditUnsealed.objects.exists():
            seal(limit=3)

    for thread in [in_thread(sealer), in_thread(sealer)]:
        thread.join()
    seals = AuditSeal.objects.filter(tenant=acme).order_by("position")
    assert [s.position for s in seals] == list(range(1, 61))
    assert len({bytes(s.previous) for s in seals}) == 60
    assert verify_chain(acme).problems == []


@pytest.mark.django_db(transaction=True)
def test_a_second_sealer_leaves_while_the_first_works() -> None:
    acme = make_tenant()
    write(acme, "action:1")
    sealed, go = Event(), Event()

    def slow() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [0x6B65_6467_0001])
            sealed.set()
            assert go.wait(10)

    thread = in_thread(slow)
    assert sealed.wait(10)
    assert seal() == 0
    go.set()
    thread.join()
    assert seal() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("tenant", ["acme", None])
def test_the_database_refuses_a_second_successor(tenant: str | None) -> None:
    owner = make_tenant(tenant) if tenant else None
    write(owner, "action:1")
    seal()
    second = write(owner, "action:2")[0]
    with pytest.raises(IntegrityError, match="audit_row_has_one_successor"):
        AuditSeal.objects.create(
            row=second, tenant=owner, position=1, previous=GENESIS, digest=b"x"
        )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        "subject = 'action:9'",
        "verb = 'reject'",
        "actor_name = 'Bob'",
        "at = at - interval '1 second'",
        "detail = '{\"n\": 2}'",
    ],
)
def test_a_changed_row_is_found(change: str) -> None:
    acme = make_tenant()
    rows = write(acme, "action:1", "action:2", "action:3")
    seal()
    with triggers_off(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE tenants_auditrow SET {change} WHERE audit_id = %s", [rows[1].pk])
    assert [(p.position, p.audit_id) for p in verify_chain(acme).problems] == [(2, rows[1].pk)]


@pytest.mark.django_db
def test_a_removed_an_exchanged_and_a_foreign_link_are_found() -> None:
    acme, other = make_tenant("acme"), make_tenant("other")
    rows = write(acme, "action:1", "action:2", "action:3", "action:4")
    seal()
    with triggers_off(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM tenants_auditseal WHERE row_id = %s", [rows[1].pk])
        cursor.execute(
            "UPDATE tenants_auditrow SET tenant_id = %s WHERE audit_id = %s",
            [other.pk, rows[3].pk],
        )
    sentences = " ".join(problem.sentence for problem in verify_chain(acme).problems)
    assert "Position 2 is missing before 3." in sentences
    assert "Position 3 does not follow on the one before it." in sentences
    assert f"Row {rows[3].pk} at position 4 is another tenant's." in sentences
    assert f"Row {rows[1].pk} is neither sealed nor waiting for it." in sentences


@pytest.mark.django_db
def test_a_row_taken_out_of_the_queue_is_found() -> None:
    acme = make_tenant()
    row = write(acme, "action:1")[0]
    assert verify_chain(acme).problems == []
    AuditUnsealed.objects.all().delete()
    assert seal() == 0
    assert [problem.audit_id for problem in verify_chain(acme).problems] == [row.pk]


@pytest.mark.django_db
def test_a_detail_no_canonical_form_exists_for_does_not_stop_the_sealer() -> None:
    acme = make_tenant()
    AuditRow.objects.create(
        tenant=acme, actor_kind="machine", verb="x", subject="y", detail={"n": 2**70}
    )
    write(acme, "action:1")
    assert seal() == 2
    assert verify_chain(acme).problems == []
