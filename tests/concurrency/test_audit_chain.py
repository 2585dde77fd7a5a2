"""Twenty writers and two sealers at once, on real connections: one chain per tenant, without a fork."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Barrier, Event

import pytest
from django.db import transaction
from pytest_django import Settings

from tenants.actors import Actor
from tenants.audit import record
from tenants.chain import seal, verify_chain
from tenants.keys import hiding
from tenants.models import AuditHead, AuditSeal, AuditUnsealed, AuditUnsigned, Tenant
from tenants.trail import heads
from tests.people import make_tenant
from tests.tenants.threads import in_thread

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 20
ROWS = 12


@pytest.fixture(autouse=True)
def _own_heads(settings: Settings, tmp_path: Path) -> None:
    settings.KEDGE_JOURNAL_DIR = tmp_path


def test_twenty_writers_and_two_sealers_leave_one_chain_per_tenant() -> None:
    """Empty table first (A55): also the first row has one place only."""
    owners: list[Tenant | None] = [make_tenant("acme"), make_tenant("other"), None]
    start, written = Barrier(WRITERS + 2), Event()

    def writer(number: int) -> None:
        start.wait(30)
        for n in range(ROWS):
            with transaction.atomic():
                actor = Actor.machine(f"writer-{number}")
                record(
                    owners[n % len(owners)], actor, "approve", hiding.text(f"request:{number}-{n}")
                )

    def sealer() -> None:
        start.wait(30)
        while not written.is_set() or AuditUnsealed.objects.exists():
            seal(limit=7)
            heads.sign_due(after=timedelta())

    sealers = [in_thread(sealer), in_thread(sealer)]
    for thread in [in_thread(partial(writer, n)) for n in range(WRITERS)]:
        thread.join()
    written.set()
    for thread in sealers:
        thread.join()
    heads.sign_due(after=timedelta())
    for owner in owners:
        report = verify_chain(owner)
        assert report.problems == []
        assert report.links == WRITERS * ROWS / len(owners)
        assert report.signed_to == report.links
        links = list(AuditSeal.objects.filter(tenant=owner).order_by("position"))
        assert [link.position for link in links] == list(range(1, len(links) + 1))
        assert len({bytes(link.previous) for link in links}) == len(links)


def test_a_chain_is_signed_once_by_two_signers_and_waits_again_when_it_grows() -> None:
    acme = make_tenant()
    record(acme, Actor.machine("writer"), "approve", hiding.text("request:1"))
    seal()
    locked, go = Event(), Event()

    def slow() -> None:
        with transaction.atomic():
            list(AuditUnsigned.objects.select_for_update())
            locked.set()
            assert go.wait(30)

    thread = in_thread(slow)
    assert locked.wait(30)
    assert heads.sign_due(after=timedelta()) == 0, "another one is signing it"
    go.set()
    thread.join()
    assert heads.sign_due(after=timedelta()) == 1
    record(acme, Actor.machine("writer"), "approve", hiding.text("request:2"))
    seal()
    assert heads.sign_due(after=timedelta()) == 1
    assert list(AuditHead.objects.order_by("position").values_list("position", flat=True)) == [1, 2]
