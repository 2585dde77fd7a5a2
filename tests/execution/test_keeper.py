"""The keeper: a session lock and renewals, on a connection and a thread of its own."""

import signal
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from django.db import transaction
from pytest_django import Settings

from checkpoints import leases, runs
from checkpoints.commits import Lease
from checkpoints.models import Run
from checkpoints.timers import SelfStop, boot_seconds
from execution import lapses
from execution.keeper import LEASE_END, Keeper
from tenants.actors import Actor
from tenants.database import execute
from tests.approvals.racing import until
from tests.engine.turns import Bench
from tests.forks import fork

pytestmark = pytest.mark.django_db(transaction=True)

END_THE_KEEPER = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
 WHERE locktype = 'advisory' AND objsubid = 1 AND granted
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@pytest.fixture
def self_stop() -> Iterator[SelfStop]:
    with SelfStop() as made:
        yield made


@pytest.fixture
def lease(engine: Bench, settings: Settings) -> Lease:
    """A lease of two seconds: it is renewed twice in each."""
    settings.KEDGE_LEASE_SECONDS = 2
    engine.start()
    return engine.acquire()


def locks() -> list[int]:
    return [row[0] for row in execute(lapses.SESSION_LOCKS, {})]


def lease_until() -> object:
    return Run.objects.values_list("lease_until", flat=True).get()


def test_a_keeper_holds_its_holders_lock_while_it_lives(engine: Bench, self_stop: SelfStop) -> None:
    holder = uuid4()
    with Keeper(holder, self_stop):
        assert locks() == [leases.session_lock_key(holder)]
    until(lambda: not locks())


def test_a_holder_is_kept_once(engine: Bench, self_stop: SelfStop) -> None:
    holder = uuid4()
    with Keeper(holder, self_stop), pytest.raises(RuntimeError, match="is taken"):
        Keeper(holder, self_stop).__enter__()


def test_a_lease_is_renewed_until_it_is_dropped(lease: Lease, self_stop: SelfStop) -> None:
    with Keeper(lease.holder, self_stop) as keeper:
        keeper.hold(lease, asked_at=boot_seconds())
        before = lease_until()
        until(lambda: lease_until() != before)
        assert not keeper.lost
        keeper.drop()


def test_each_renewal_moves_the_limit_of_this_process(lease: Lease) -> None:
    moves: list[float] = []

    class Watched(SelfStop):
        def limit(self, name: str, at: float) -> None:
            assert name == LEASE_END
            moves.append(at)
            super().limit(name, at)

    with Watched() as watched, Keeper(lease.holder, watched) as keeper:
        asked_at = boot_seconds()
        keeper.hold(lease, asked_at=asked_at)
        until(lambda: len(moves) > 1)
        keeper.drop()
    assert moves[0] == asked_at + lease.ttl_seconds
    assert moves[1] > moves[0]


def take_over(lease: Lease) -> None:
    runs.lapse(lease.run_id, fence=lease.fence, why="silent", actor=Actor.machine("sweeper"))


def cut_the_line(lease: Lease) -> None:
    execute(END_THE_KEEPER, {})


@pytest.mark.parametrize("trouble", [take_over, cut_the_line])
def test_a_lease_that_cannot_be_renewed_is_lost(
    lease: Lease, self_stop: SelfStop, trouble: Callable[[Lease], None]
) -> None:
    with Keeper(lease.holder, self_stop) as keeper:
        keeper.hold(lease, asked_at=boot_seconds())
        trouble(lease)
        until(lambda: keeper.lost)
        keeper.drop()


def test_the_next_lease_is_not_lost_because_the_last_one_was(
    lease: Lease, self_stop: SelfStop, engine: Bench
) -> None:
    with Keeper(lease.holder, self_stop) as keeper:
        keeper.hold(lease, asked_at=boot_seconds())
        take_over(lease)
        until(lambda: keeper.lost)
        keeper.drop()
        next_one = engine.acquire()
        keeper.hold(next_one, asked_at=boot_seconds())
        assert (keeper.lost, keeper.cut_off) == (False, False)
        keeper.drop()


def test_a_keeper_whose_line_was_cut_says_so(lease: Lease, self_stop: SelfStop) -> None:
    with Keeper(lease.holder, self_stop) as keeper:
        keeper.hold(lease, asked_at=boot_seconds())
        assert not keeper.cut_off
        cut_the_line(lease)
        until(lambda: keeper.cut_off)
        keeper.drop()


def test_rule_8_a_process_that_cannot_renew_is_ended_at_the_end_of_its_lease(
    engine: Bench, settings: Settings
) -> None:
    """Also while PostgreSQL makes the renewal wait: no answer is no lease."""
    settings.KEDGE_LEASE_SECONDS = 1
    run = engine.start()

    def keep_for_ever() -> None:
        with SelfStop() as self_stop:
            asked_at = boot_seconds()
            lease = engine.acquire()
            with Keeper(lease.holder, self_stop) as keeper:
                keeper.hold(lease, asked_at=asked_at)
                while True:
                    signal.pause()

    child = fork(keep_for_ever)
    until(lambda: Run.objects.get().status == "running")
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        assert child.wait() == -signal.SIGKILL
    until(lambda: lapses.overdue(actor=Actor.machine("sweeper")) == 1)
