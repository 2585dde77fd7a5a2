"""Rule 11: when a stop has answered, nothing slips past it, and it knows what is out."""

from functools import partial

import pytest
from django.db import transaction

from checkpoints import runs, stops
from checkpoints.errors import StoppedError
from checkpoints.models import Run, Stop
from reconciliation import queries
from reconciliation.models import Attempt
from tenants.actors import Actor
from tenants.models import Installation, Tenant
from tests.approvals.racing import beside, run_locked
from tests.engine.turns import Bench
from tests.people import make_tenant
from tests.reconciliation.ready import Ready, ready

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor.machine("Ada")
SCOPES = pytest.mark.parametrize("everything", [True, False], ids=["everything", "one tenant"])


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def scope(it: Ready, everything: bool) -> Tenant | None:
    return None if everything else it.run.tenant


@SCOPES
def test_rule_11_a_stop_waits_for_the_dispatch_under_way_and_lists_it(
    it: Ready, everything: bool
) -> None:
    seen = it.hash()
    stop = partial(stops.stop, scope(it, everything), "effects", why="wrong", actor=ADA)
    with beside() as side:
        with run_locked(it.run.id):
            dispatching = side.start_and_block(partial(it.dispatch, seen))
            stopping = side.start_and_block(stop, blocked=2)
        assert dispatching.result().number == 1
        stopping.result()
    assert [action.id for action in queries.out_in_the_world(it.run.tenant)] == [it.action.id]


@SCOPES
def test_rule_11_a_dispatch_that_waited_for_a_stop_is_refused(it: Ready, everything: bool) -> None:
    seen = it.hash()
    with beside() as side:
        with transaction.atomic():
            stops.stop(scope(it, everything), "effects", why="wrong", actor=ADA)
            dispatching = side.start_and_block(partial(it.dispatch, seen))
        with pytest.raises(StoppedError, match="effects are stopped by Ada"):
            dispatching.result()
    assert not Attempt.objects.exists()
    assert it.run.effect_in_flight is None


def test_rule_11_a_stop_of_another_tenant_stops_nothing_here(it: Ready) -> None:
    stops.stop(make_tenant("other"), "effects", why="theirs", actor=ADA)
    assert it.dispatch().number == 1


def test_rule_11_the_first_stop_ever_waits_for_a_start_under_way(engine: Bench) -> None:
    """On a fresh installation there is no row yet that a stop of everything could wait for."""
    Installation.objects.all().delete()
    stop = partial(stops.stop, None, "new_runs", why="flood", actor=ADA)
    with beside() as side:
        with transaction.atomic():
            engine.start()
            stopping = side.start_and_block(stop)
        stopping.result()
    assert Run.objects.count() == 1
    with pytest.raises(StoppedError):
        engine.start()


def test_rule_11_a_start_that_waited_for_a_stop_is_refused(engine: Bench) -> None:
    with beside() as side:
        with transaction.atomic():
            stops.stop(engine.tenant, "new_runs", why="flood", actor=ADA)
            starting = side.start_and_block(engine.start)
        with pytest.raises(StoppedError):
            starting.result()
    assert not Run.objects.exists()


def test_rule_4_lifting_a_stop_and_cancelling_a_run_do_not_deadlock(engine: Bench) -> None:
    """Lift goes from tenant to run, cancel from run to the tenant its audit row names."""
    run = engine.start()
    runs.suspend(engine.acquire(), "for_stop", "Stopped.", due_at=None)
    made = stops.stop(engine.tenant, "effects", why="x", actor=ADA)
    with beside() as side:
        with run_locked(run.id):
            lifting = side.start_and_block(partial(stops.lift, made.pk, why="over", actor=ADA))
            runs.request_cancel(run.id, why="wrong", actor=ADA)
        lifting.result()
    assert Stop.objects.get().lifted_by == "Ada"
    assert Run.objects.get().cancel_requested_by == "Ada"


def test_rule_11_two_who_stop_at_once_make_one_stop(engine: Bench) -> None:
    stop = partial(stops.stop, engine.tenant, "effects", why="wrong", actor=ADA)
    with beside() as side:
        with transaction.atomic():
            first = stop()
            second = side.start_and_block(stop)
        assert second.result().pk == first.pk
    assert Stop.objects.count() == 1
