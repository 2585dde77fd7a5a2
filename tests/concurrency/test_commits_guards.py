"""Rules 4, 13 and 14: a commit is judged on the run row as it is when its turn comes."""

import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from socket import socket, socketpair
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection, transaction

from checkpoints import leases, runs, wakeups
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.models import Checkpoint, Run
from tenants.actors import Actor
from tests.approvals.racing import beside, run_locked, until
from tests.checkpoints.records import commit, fresh, step
from tests.engine.turns import Bench
from tests.forks import fork

pytestmark = pytest.mark.django_db(transaction=True)

SWEEPER = Actor.machine("sweeper")
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
WAITS_FOR_A_LOCK = """
SELECT count(*) FROM pg_stat_activity
 WHERE pid = %s AND wait_event_type = 'Lock' AND query LIKE '%%UPDATE checkpoints_run%%'
"""


def take_over(engine: Bench, lease: Lease) -> Lease:
    assert runs.lapse(lease.run_id, fence=lease.fence, why="silent", actor=SWEEPER)
    return engine.acquire()


def test_rule_4_a_commit_that_waited_through_a_takeover_is_refused(engine: Bench) -> None:
    engine.start()
    old = engine.acquire()
    with beside() as side:
        with run_locked(old.run_id):
            committing = side.start_and_block(partial(commit, old))
            new = take_over(engine, old)
        with pytest.raises(LeaseLostError, match="under fence 2"):
            committing.result()
    assert not Checkpoint.objects.exists()
    assert commit(new).head == 1


@pytest.mark.parametrize(
    "changes",
    [{"holder": uuid4()}, {"lease_until": "2020-01-01T00Z"}, {"effect_in_flight": uuid4()}],
    ids=["other holder", "lease over", "effect in flight"],
)
def test_rule_4_whatever_changed_while_a_commit_waited_counts(
    engine: Bench, changes: dict[str, object]
) -> None:
    engine.start()
    lease = engine.acquire()
    with beside() as side:
        with run_locked(lease.run_id):
            committing = side.start_and_block(partial(commit, lease))
            Run.objects.update(**changes)
        with pytest.raises(LeaseLostError):
            committing.result()
    assert not Checkpoint.objects.exists()


def test_rule_4_a_harmless_change_meanwhile_refuses_no_commit(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    with beside() as side:
        with run_locked(lease.run_id):
            committing = side.start_and_block(partial(commit, lease))
            wakeups.wake(run.id, why="decided")
        assert committing.result().head == 1
    assert Run.objects.values_list("head", "wakes").get() == (1, 1)


def test_rule_4_of_two_commits_of_one_number_one_is_kept_whole(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    start = Barrier(2)

    def race(text: str) -> str:
        start.wait()
        try:
            commit(lease, step({"text": text}))
        except LeaseLostError:
            return "refused"
        return text

    with beside() as side:
        told = [future.result() for future in [side.start(partial(race, text)) for text in "ab"]]
    row = Checkpoint.objects.get()
    assert sorted(told)[1] == "refused"
    assert bytes(row.state).decode() == f'{{"text":"{sorted(told)[0]}"}}'


def test_rule_4_nobody_deadlocks_however_many_touch_one_run(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    start = Barrier(4)

    def again_and_again(verb: Callable[[], object]) -> None:
        start.wait()
        for _ in range(15):
            verb()

    def commit_on() -> None:
        commit(replace(lease, head=fresh(lease).head))

    verbs = (
        commit_on,
        partial(wakeups.wake, run.id, why="decided"),
        partial(leases.renew, lease),
        partial(runs.lapse, run.id, fence=lease.fence - 1, why="stale", actor=SWEEPER),
    )
    before = _deadlocks()
    with beside() as side:
        for future in [side.start(partial(again_and_again, verb)) for verb in verbs]:
            future.result()
    assert Run.objects.values_list("head", "wakes").get() == (15, 15)
    assert _deadlocks() == before


def test_rule_13_a_fence_alone_is_not_enough(engine: Bench) -> None:
    """After a lossy failover two holders may have been granted the same number."""
    engine.start()
    lost = engine.acquire()
    Run.objects.update(holder=uuid4())  # the promoted standby granted fence 1 to another
    with pytest.raises(LeaseLostError):
        commit(lost)
    assert leases.renew(lost) is None
    with pytest.raises(LeaseLostError):
        runs.yield_to_others(lost)
    assert Run.objects.values_list("status", "head").get() == ("running", 0)


def test_rule_14_the_late_commit_of_a_killed_client_is_fenced_off(engine: Bench) -> None:
    """Its statement waits in PostgreSQL and outlives it: whoever acquires anew fences it."""
    engine.start()
    old = engine.acquire()
    ours, theirs = socketpair()
    child = fork(partial(_say_backend_and_commit_when_told, theirs, old))
    backend = int(ours.recv(20))
    with transaction.atomic():
        Run.objects.select_for_update().get(id=old.run_id)
        ours.send(b"now")
        until(lambda: _waits(backend))
        child.send(signal.SIGKILL)
        child.wait()
        new = take_over(engine, old)
    until(lambda: not _lives(backend))
    assert not Checkpoint.objects.exists()
    assert commit(new).head == 1
    ours.close()
    theirs.close()


def test_rule_14_a_commit_whose_answer_was_lost_is_read_back_and_not_repeated(
    engine: Bench,
) -> None:
    run = engine.start()
    child = fork(engine.turn, KEDGE_KILL_AT="commit:after@3")
    assert child.wait() == -signal.SIGKILL
    assert runs.lapse(run.id, fence=1, why="killed", actor=SWEEPER)
    engine.turn()
    nodes, fences = zip(
        *Checkpoint.objects.order_by("seq").values_list("node", "fence"), strict=True
    )
    assert nodes == ("look", "count", "count", "count", "think")
    # The commit behind the one that was heard of was on its way: it may stand or not.
    assert fences in ((1, 1, 1, 2, 2), (1, 1, 1, 1, 2))


def test_rule_4_isolation_is_pinned(engine: Bench) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_isolation")
        assert cursor.fetchone() == ("read committed",)


def _say_backend_and_commit_when_told(theirs: socket, lease: Lease) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        theirs.send(str(cursor.fetchone()[0]).encode())
    theirs.recv(3)
    commit(lease)


def _waits(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(WAITS_FOR_A_LOCK, [backend])
        return bool(cursor.fetchone()[0])


def _lives(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [backend])
        return bool(cursor.fetchone()[0])


def _deadlocks() -> int:
    with connection.cursor() as cursor:
        cursor.execute(DEADLOCKS)
        return int(cursor.fetchone()[0])
