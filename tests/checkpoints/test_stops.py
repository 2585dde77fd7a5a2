"""Stops: locks on new runs or on effects, for everything or for one tenant."""

from datetime import timedelta

import pytest

from approvals import clock
from checkpoints import runs, stops
from checkpoints.errors import IllegalMoveError, StoppedError
from checkpoints.models import Run, Stop
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant
from tests.checkpoints.records import refused
from tests.engine.turns import Bench
from tests.people import make_tenant

ADA, BOB = Actor.machine("Ada"), Actor.machine("Bob")


def test_a_stop_says_who_when_and_why(engine: Bench) -> None:
    made = stops.stop(engine.tenant, "effects", why="wrong branch", actor=ADA)
    made.refresh_from_db()
    assert (made.tenant, made.lock, made.why, made.stopped_by) == (
        engine.tenant,
        "effects",
        "wrong branch",
        "Ada",
    )
    assert clock.now() - made.stopped_at < timedelta(minutes=1)
    row = AuditRow.objects.get(verb="stopped")
    assert (row.subject, row.detail) == (
        f"effects of {engine.tenant.slug}",
        {"why": "wrong branch"},
    )


def test_stopping_twice_is_one_stop(engine: Bench) -> None:
    first = stops.stop(None, "effects", why="incident", actor=ADA)
    again = stops.stop(None, "effects", why="another", actor=BOB)
    assert first == again
    assert Stop.objects.get().why == "incident"
    assert AuditRow.objects.filter(verb="stopped").count() == 1


@pytest.mark.parametrize("why", ["", " "])
def test_a_stop_needs_a_reason(engine: Bench, why: str) -> None:
    with pytest.raises(IllegalMoveError, match="a stop needs a reason"):
        stops.stop(None, "effects", why=why, actor=ADA)


@pytest.mark.parametrize("lock", ["effects", "new_runs"])
def test_a_stop_holds_for_its_scope_and_its_lock_only(engine: Bench, lock: stops.Lock) -> None:
    other, another = make_tenant("other"), "new_runs" if lock == "effects" else "effects"
    stops.stop(other, lock, why="incident", actor=ADA)
    stops.refuse_if_stopped(engine.tenant.pk, lock)
    stops.refuse_if_stopped(other.pk, another)  # type: ignore[arg-type]
    with pytest.raises(StoppedError, match=r"by Ada since .* UTC: incident"):
        stops.refuse_if_stopped(other.pk, lock)


def test_a_stop_of_everything_holds_for_every_tenant(engine: Bench) -> None:
    stops.stop(None, "effects", why="incident", actor=ADA)
    for tenant in (engine.tenant, make_tenant("other")):
        with pytest.raises(StoppedError):
            stops.refuse_if_stopped(tenant.pk, "effects")


def test_a_lifted_stop_holds_no_more_and_says_who_lifted_it(engine: Bench) -> None:
    made = stops.stop(None, "effects", why="incident", actor=ADA)
    lifted = stops.lift(made.pk, why="over", actor=BOB)
    stops.refuse_if_stopped(engine.tenant.pk, "effects")
    assert lifted.lifted_by == "Bob"
    assert lifted.lifted_at is not None
    assert AuditRow.objects.get(verb="lifted").detail == {"why": "over"}
    with pytest.raises(IllegalMoveError, match="lifted already"):
        stops.lift(made.pk, why="over", actor=BOB)


def test_a_tenants_stop_stands_when_the_one_for_everything_is_lifted(engine: Bench) -> None:
    stops.stop(engine.tenant, "effects", why="mine", actor=ADA)
    everything = stops.stop(None, "effects", why="all", actor=ADA)
    stops.lift(everything.pk, why="over", actor=ADA)
    with pytest.raises(StoppedError, match="mine"):
        stops.refuse_if_stopped(engine.tenant.pk, "effects")


@pytest.mark.parametrize("everything", [True, False])
def test_lifting_wakes_what_waited_for_it(engine: Bench, everything: bool) -> None:
    mine, theirs = waiting_for_stop(engine.tenant, engine), make_tenant("other")
    other = waiting_for_stop(theirs, engine)
    made = stops.stop(None if everything else engine.tenant, "effects", why="x", actor=ADA)
    stops.lift(made.pk, why="over", actor=ADA)
    assert Run.objects.get(pk=mine.pk).status == "queued"
    assert Run.objects.get(pk=other.pk).status == ("queued" if everything else "waiting")


def test_the_database_refuses_a_second_open_stop_of_one_scope(engine: Bench) -> None:
    for tenant in (None, engine.tenant):
        Stop.objects.create(tenant=tenant, lock="effects", why="x", stopped_by="Ada")
        with refused("one_open_stop_per_scope_and_lock"):
            Stop.objects.create(tenant=tenant, lock="effects", why="x", stopped_by="Ada")


def test_the_database_refuses_an_unknown_lock_and_a_stop_without_a_reason(engine: Bench) -> None:
    with refused("a_stop_locks_new_runs_or_effects"):
        Stop.objects.create(lock="everything", why="x", stopped_by="Ada")
    with refused("a_stop_says_why"):
        Stop.objects.create(lock="effects", why="", stopped_by="Ada")


def test_the_database_refuses_a_lifting_by_nobody(engine: Bench) -> None:
    Stop.objects.create(lock="effects", why="x", stopped_by="Ada")
    for half in ({"lifted_at": "2026-01-01T00Z"}, {"lifted_by": "Bob"}):
        with refused("a_lifted_stop_names_who_lifted_it"):
            Stop.objects.update(**half)


def waiting_for_stop(tenant: Tenant, engine: Bench) -> Run:
    bench = Bench(tenant, engine.starter, engine.approver, engine.world)
    run = bench.start()
    runs.suspend(bench.acquire(), "for_stop", "Stopped.", due_at=None)
    return run
