"""Rule 11: when a stop has answered, nothing slips past it, and it knows what is out."""

from dataclasses import replace
from functools import partial

import pytest
from django.db import transaction

from checkpoints import runs, stops
from checkpoints.errors import StoppedError
from checkpoints.models import CallOut, Run, Stop
from checkpoints.registry import combo_of
from checkpoints.scopes import Scope
from reconciliation import stopping
from reconciliation.models import Attempt
from tenants.actors import Actor
from tests.approvals.racing import beside, run_locked
from tests.checkpoints.lifts import confirmed, proposed
from tests.engine.turns import Bench
from tests.people import make_tenant
from tests.reconciliation.ready import Ready, ready

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor.machine("Ada")
WIDTHS = pytest.mark.parametrize("everywhere", [True, False], ids=["everywhere", "one tenant"])
THINGS = pytest.mark.parametrize("thing", ["all", "task type", "combo", "tool"])


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def scope(bench: Bench, thing: str, *, everywhere: bool = False) -> Scope:
    """What a run of the task "steps" with "fake.void" falls under."""
    wide = {
        "all": Scope(),
        "task type": Scope(task_type="steps"),
        "combo": Scope(combo=combo_of("steps")),
        "tool": Scope(tool="fake.void"),
    }[thing]
    return wide if everywhere else replace(wide, tenant=bench.tenant)


def others(bench: Bench) -> list[Scope]:
    """What it does not fall under."""
    wide = [
        Scope(task_type="strict"),
        Scope(combo=combo_of("strict")),
        Scope(tool="fake.unheard"),
    ]
    here, there = bench.tenant, make_tenant("other")
    narrow = [replace(each, tenant=here) for each in wide]
    same_elsewhere = [scope(bench, thing) for thing in ("all", "task type", "combo", "tool")]
    return [*wide, *narrow, *(replace(each, tenant=there) for each in same_elsewhere)]


@WIDTHS
@THINGS
def test_rule_11_a_stop_waits_for_the_dispatch_under_way_and_lists_it(
    it: Ready, engine: Bench, thing: str, everywhere: bool
) -> None:
    seen = it.hash()
    where = scope(engine, thing, everywhere=everywhere)
    stop = partial(stopping.stop, where, "effects", why="wrong", actor=ADA)
    with beside() as side:
        with run_locked(it.run.id):
            dispatching = side.start_and_block(partial(it.dispatch, seen))
            stopped = side.start_and_block(stop, blocked=2)
        attempt = dispatching.result()
        made = stopped.result()
    assert list(CallOut.objects.values_list("stop", "attempt_id")) == [(made.pk, attempt.pk)]
    assert stopping.calls(made).still_out == 1
    assert made.reconciled_at is None


@WIDTHS
@THINGS
def test_rule_11_a_dispatch_that_waited_for_a_stop_is_refused(
    it: Ready, engine: Bench, thing: str, everywhere: bool
) -> None:
    seen = it.hash()
    with beside() as side:
        with transaction.atomic():
            where = scope(engine, thing, everywhere=everywhere)
            stops.stop(where, "effects", why="wrong", actor=ADA)
            dispatching = side.start_and_block(partial(it.dispatch, seen))
        with pytest.raises(StoppedError, match=r"effects.* are stopped by Ada"):
            dispatching.result()
    assert not Attempt.objects.exists()
    assert it.run.effect_in_flight is None


def test_rule_11_no_stop_of_another_scope_holds_a_dispatch_up(it: Ready, engine: Bench) -> None:
    """Neither while it is being set, nor when it stands."""
    second = ready(engine)
    seen, elsewhere = it.hash(), others(engine)
    with beside() as side, transaction.atomic():
        for where in elsewhere:
            stops.stop(where, "effects", why="theirs", actor=ADA)
        stops.stop(scope(engine, "all"), "new_runs", why="not effects", actor=ADA)
        assert side.finish(partial(it.dispatch, seen)).number == 1
    assert Stop.objects.count() == len(elsewhere) + 1
    assert second.dispatch().number == 1


@WIDTHS
@THINGS
def test_rule_11_a_stop_waits_for_a_start_under_way(
    engine: Bench, thing: str, everywhere: bool
) -> None:
    where = scope(engine, thing, everywhere=everywhere)
    stop = partial(stops.stop, where, "new_runs", why="flood", actor=ADA)
    with beside() as side:
        with transaction.atomic():
            engine.start()
            stopped = side.start_and_block(stop)
        stopped.result()
    assert Run.objects.count() == 1
    with pytest.raises(StoppedError):
        engine.start()


@WIDTHS
@THINGS
def test_rule_11_a_start_that_waited_for_a_stop_is_refused(
    engine: Bench, thing: str, everywhere: bool
) -> None:
    with beside() as side:
        with transaction.atomic():
            where = scope(engine, thing, everywhere=everywhere)
            stops.stop(where, "new_runs", why="flood", actor=ADA)
            starting = side.start_and_block(engine.start)
        with pytest.raises(StoppedError, match=r"new runs.* are stopped by Ada"):
            starting.result()
    assert not Run.objects.exists()


def test_rule_11_no_stop_of_another_scope_holds_a_start_up(engine: Bench) -> None:
    elsewhere = others(engine)
    with beside() as side, transaction.atomic():
        for where in elsewhere:
            stops.stop(where, "new_runs", why="theirs", actor=ADA)
        stops.stop(scope(engine, "all"), "effects", why="not new runs", actor=ADA)
        assert side.finish(engine.start).status == "queued"
    assert engine.start().status == "queued"


def test_rule_11_a_dispatch_that_waited_for_a_lifting_goes_on(it: Ready, engine: Bench) -> None:
    """Lifting takes the scope alone too: who stops at that moment comes before it or after."""
    made = stops.stop(scope(engine, "tool"), "effects", why="wrong", actor=ADA)
    proposal, seen = proposed(made), it.hash()
    with beside() as side:
        with transaction.atomic():
            confirmed(proposal)
            dispatching = side.start_and_block(partial(it.dispatch, seen))
        assert dispatching.result().number == 1


def test_rule_4_lifting_a_stop_and_cancelling_a_run_do_not_deadlock(engine: Bench) -> None:
    run = engine.start()
    runs.suspend(engine.acquire(), "for_stop", "Stopped.", due_at=None)
    made = stops.stop(engine.tenant, "effects", why="x", actor=ADA)
    proposal = proposed(made)
    with beside() as side, run_locked(run.id):
        side.finish(partial(confirmed, proposal))
        runs.request_cancel(run.id, why="wrong", actor=ADA)
    assert Stop.objects.get().lifted_by == "Ada and Eve"
    assert Run.objects.get().cancel_requested_by == "Ada"


def test_rule_11_two_who_stop_at_once_make_one_stop(engine: Bench) -> None:
    stop = partial(stops.stop, engine.tenant, "effects", why="wrong", actor=ADA)
    with beside() as side:
        with transaction.atomic():
            first = stop()
            second = side.start_and_block(stop)
        assert second.result().pk == first.pk
    assert Stop.objects.count() == 1
