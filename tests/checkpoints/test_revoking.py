"""Revoke: who may, when, and what it leaves behind."""

import pytest

from checkpoints import leases, revoking
from checkpoints.errors import IllegalMoveError, LeaseLostError
from checkpoints.models import Event, Run
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import AuditRow
from tests.checkpoints.records import commit
from tests.engine.turns import Bench
from tests.people import bob

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_lease_that_was_revoked_commits_and_renews_nothing(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    revoking.revoke(lease.run_id, reason="it hangs", actor=Actor.person(engine.starter))
    assert leases.renew(lease) is None
    with pytest.raises(LeaseLostError):
        commit(lease)
    assert Run.objects.get().head == 0


def test_it_leaves_an_audit_row(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    revoking.revoke(lease.run_id, reason="it hangs", actor=Actor.person(engine.starter))
    row = AuditRow.objects.get(verb="revoked")
    assert (row.subject, row.detail["why"], row.detail["fence"]) == (
        f"run {lease.run_id}",
        "it hangs",
        lease.fence,
    )


def test_nobody_without_the_right_revokes(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    with pytest.raises(Denied):
        revoking.revoke(lease.run_id, reason="x", actor=Actor.person(bob(engine.tenant)))
    assert Run.objects.get().fence == lease.fence


def test_it_takes_a_reason(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    with pytest.raises(IllegalMoveError, match="say why"):
        revoking.revoke(lease.run_id, reason=" ", actor=Actor.person(engine.starter))
    assert Run.objects.get().fence == lease.fence


def test_only_a_run_that_somebody_works_on_is_revoked(engine: Bench) -> None:
    run = engine.start(steps=1)
    ada = Actor.person(engine.starter)
    with pytest.raises(IllegalMoveError, match="nobody works on this run"):
        revoking.revoke(run.pk, reason="x", actor=ada)
    engine.turn()
    with pytest.raises(IllegalMoveError, match="succeeded"):
        revoking.revoke(run.pk, reason="x", actor=ada)
    assert not Event.objects.filter(what="revoked").exists()


def test_a_revoked_run_is_taken_up_at_once_however_often_it_was_interrupted(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    Run.objects.update(attempts=4)
    revoking.revoke(lease.run_id, reason="x", actor=Actor.person(engine.starter))
    assert engine.acquire().fence == lease.fence + 2
