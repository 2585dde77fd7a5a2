"""After a stop is lifted, runs go on at the declared pace, never all at once."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F
from pytest_django import Settings

from checkpoints import runs, stops
from checkpoints.models import Lifting, Run, Stop
from checkpoints.scopes import Scope
from execution import pacing, sweeper
from tenants.actors import Actor
from tenants.models import Tenant
from tests.approvals.racing import beside
from tests.checkpoints.lifts import lifted, proposed
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting
from tests.people import ada, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor.machine("Ada")


def asleep(engine: Bench, count: int, tenant: Tenant | None = None) -> list[Run]:
    """Runs that wait for a stop."""
    bench = Bench(tenant or engine.tenant, engine.starter, engine.approver, engine.world)
    found = []
    for _ in range(count):
        found.append(bench.start())
        runs.suspend(bench.acquire(), "for_stop", "Stopped.", due_at=None)
    return found


def stop(where: Scope | Tenant | None) -> Stop:
    return stops.stop(where, "effects", why="x", actor=ADA)


def passed(seconds: float) -> None:
    """As if that much time had passed since the last runs went on."""
    Lifting.objects.update(paced_at=F("paced_at") - timedelta(seconds=seconds))


def still_waiting() -> int:
    return Run.objects.filter(status="waiting", reason="for_stop").count()


def test_runs_go_on_one_by_one_at_the_pace_that_was_declared(engine: Bench) -> None:
    asleep(engine, 5)
    # A beat is thirty seconds: however slow this machine is, the test takes no five of them.
    lifted(stop(engine.tenant), per_minute=2)
    assert [pacing.let_go_on() for _ in range(3)] == [1, 0, 0]
    passed(25)
    assert pacing.let_go_on() == 0
    passed(30)
    assert pacing.let_go_on() == 1
    assert Lifting.objects.get().woken == 5 - still_waiting()


def test_a_sweeper_that_was_away_makes_up_for_nothing(engine: Bench) -> None:
    """Five seconds' worth at once is the most: an hour's would be all of them."""
    asleep(engine, 8)
    lifted(stop(engine.tenant), per_minute=30)
    passed(3600)
    assert pacing.let_go_on() == 3
    assert pacing.let_go_on() == 0


def test_the_pace_ends_when_nobody_waits(engine: Bench) -> None:
    asleep(engine, 2)
    made = lifted(stop(engine.tenant), per_minute=30)
    pacing.let_go_on()
    assert [each.stop_id for each in pacing.under_way()] == [made.pk]
    passed(60)
    assert pacing.let_go_on() == 1
    lifting = Lifting.objects.get()
    assert (lifting.woken, lifting.paced_to_the_end_at is not None) == (2, True)
    assert not pacing.under_way().exists()


@pytest.mark.parametrize("scope", ["tenant", "tool"])
def test_only_what_waits_for_that_stop_goes_on(engine: Bench, scope: str) -> None:
    other = make_tenant("other")
    ada(other)
    mine, theirs = asleep(engine, 1)[0], asleep(engine, 1, other)[0]
    stop(other)
    writes = waiting(engine)
    Run.objects.filter(pk=writes.pk).update(
        status="waiting", reason="for_stop", sentence="Stopped.", due_at=None
    )
    made = stop(engine.tenant if scope == "tenant" else Scope(engine.tenant, tool="fake.void"))
    if scope == "tool":
        stop(Scope(engine.tenant, tool="fake.keyed"))
    lifted(made)
    passed(60)
    pacing.let_go_on()
    assert full(writes).status == "queued"
    assert full(theirs).status == "waiting"
    # Nothing accounts for a run that sends nothing, so it goes on by itself.
    assert full(mine).status == "queued"


def test_another_stop_in_force_holds_its_own_back(engine: Bench) -> None:
    asleep(engine, 2)
    everything = stop(None)
    lifted(stop(engine.tenant))
    passed(60)
    assert pacing.let_go_on() == 0
    lifted(everything, per_minute=30)
    assert pacing.let_go_on() == 1, "at the pace of the lifting that came last"


def test_a_new_stop_of_the_same_scope_ends_the_pace_before_it(engine: Bench) -> None:
    asleep(engine, 2)
    lifted(stop(engine.tenant))
    again = stop(engine.tenant)
    assert (pacing.let_go_on(), still_waiting()) == (0, 2)
    assert not pacing.under_way().exists()
    lifted(again, per_minute=30)
    assert pacing.let_go_on() == 1


def test_lifting_new_runs_wakes_nobody_who_waits_to_send(engine: Bench) -> None:
    asleep(engine, 1)
    stop(engine.tenant)
    lifted(stops.stop(engine.tenant, "new_runs", why="x", actor=ADA))
    assert (pacing.let_go_on(), still_waiting()) == (0, 1)
    assert not pacing.under_way().exists()


def test_a_proposal_wakes_nobody(engine: Bench) -> None:
    asleep(engine, 1)
    proposed(stop(engine.tenant))
    assert (pacing.let_go_on(), still_waiting()) == (0, 1)


def test_many_sweepers_keep_one_pace(engine: Bench) -> None:
    asleep(engine, 4)
    lifted(stop(engine.tenant), per_minute=30)
    with beside() as side, transaction.atomic():
        Lifting.objects.select_for_update().get()
        assert side.finish(pacing.let_go_on) == 0
    assert pacing.let_go_on() == 1


def test_it_goes_on_with_valkey_gone(engine: Bench, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    (run,) = asleep(engine, 1)
    lifted(stop(engine.tenant))
    assert sweeper.sweep()["let go on"] == 1
    assert full(run).status == "queued"
