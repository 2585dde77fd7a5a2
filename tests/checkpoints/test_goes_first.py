"""Who is taken up first: what somebody waits for, before what stands in line."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now

from checkpoints import leases, runs, states
from checkpoints.models import Run
from checkpoints.registry import runnable_combos
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.people import make_tenant

LONG_AGO = Now() - timedelta(hours=1)


def woken(engine: Bench) -> Run:
    run = engine.start()
    Run.objects.filter(pk=run.pk).update(reason=states.WOKEN)
    return run


def test_a_woken_run_goes_before_older_ones_in_line(engine: Bench) -> None:
    old = engine.start()
    Run.objects.filter(pk=old.pk).update(due_at=LONG_AGO)
    asked_for = woken(engine)
    assert [engine.acquire().run_id, engine.acquire().run_id] == [asked_for.id, old.id]


def test_an_interrupted_run_goes_first(engine: Bench) -> None:
    interrupted = engine.start()
    lease = engine.acquire()
    for _ in range(2):
        Run.objects.filter(pk=engine.start().pk).update(due_at=LONG_AGO)
    runs.lapse(lease.run_id, fence=lease.fence, why="killed", actor=Actor.machine("test"))
    assert engine.acquire().run_id == interrupted.id


def test_one_that_made_room_stands_in_line_again(engine: Bench) -> None:
    engine.start()
    runs.yield_to_others(engine.acquire())
    asked_for = woken(engine)
    assert engine.acquire().run_id == asked_for.id


@pytest.mark.parametrize(("reason", "first"), [("woken", True), ("started", False)])
def test_whether_one_goes_first_is_said(engine: Bench, reason: str, first: bool) -> None:
    Run.objects.filter(pk=engine.start().pk).update(reason=reason)
    assert leases.one_goes_first(runnable_combos()) is first


def test_going_first_is_worth_one_lease_and_no_more(engine: Bench) -> None:
    for _ in range(2):
        engine.start()
        engine.acquire()
    woken(engine)
    other = replace(engine, tenant=make_tenant(f"o{uuid4().hex[:8]}"))
    theirs = other.start()
    assert engine.acquire().run_id == theirs.id


def test_runs_that_go_first_are_found_by_their_index(engine: Bench) -> None:
    for _ in range(30):
        engine.start()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE checkpoints_run")  # what earlier tests left behind says nothing
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "EXPLAIN SELECT id FROM checkpoints_run WHERE tenant_id = %s"
            " AND status IN ('queued', 'waiting') AND reason NOT IN ('started', 'yielded')"
            " AND due_at <= clock_timestamp() ORDER BY due_at LIMIT 1",
            [engine.tenant.pk],
        )
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "runs_due_first" in plan
