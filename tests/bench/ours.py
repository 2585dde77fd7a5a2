"""Our own figures: a compute step, an action step, and the bytes of a growing conversation."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import uuid4

from django.db import connection

from approvals import requests
from approvals.requests import Question
from checkpoints import leases, runs
from checkpoints.asked import Request
from checkpoints.graph import Graph
from checkpoints.models import Checkpoint, Run
from checkpoints.reading import load_head
from checkpoints.registry import graph_of, runnable_combos
from checkpoints.timers import SelfStop
from execution import effects, executor, proposing
from execution.errors import Suspend
from execution.forks import reusing
from execution.work import Work
from reconciliation import actions, asking, demands, ledger
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.models import Tenant, User
from tests.bench import registry
from tests.opening import read_and_decide

STEP_BYTES = 1024


@dataclass
class People:
    """Who starts and who approves."""

    tenant: Tenant
    starter: User
    approver: User


def start(people: People, task_type: str, **content: Any) -> Run:
    """Start a run under a fresh business key."""
    request = Request(task_type, uuid4().hex, content, channel="bench")
    run, _ = runs.start(people.tenant, request, actor=Actor.person(people.starter))
    return run


def compute_step_ms(people: People, steps: int) -> float:
    """Milliseconds per compute step, engine included, over one run of `steps` nodes."""
    start(people, "conversation", steps=steps)
    lease = leases.acquire(uuid4(), combos=runnable_combos())
    assert lease is not None
    with SelfStop() as self_stop:
        began = time.perf_counter()
        executor.advance(lease, self_stop, lambda: False)
        took = time.perf_counter() - began
    return took * 1000 / steps


def action_step_ms(people: People, effects_count: int) -> float:
    """Milliseconds per action step: propose, intent, journal, receipt, absorb.

    Asking and the wait for the approval stand aside, and so do the dry run and the effect, which
    are the tool's own time.
    """
    run = start(people, "effects", steps=effects_count)
    tool = registry.CLOCKED["fake.void"]
    took, before = 0.0, tool.seconds
    for _ in range(effects_count):
        work = _work(run)
        took += _timed(lambda: proposing.propose(work))  # noqa: B023 - called at once
        try:
            effects.run_action(work)
        except Suspend as ending:
            executor.release(work.lease, work.run, ending)
        _approve(people, run)
        work = _work(run)
        action = ledger.open_action(run.id)
        assert action is not None
        asked = asking.question(action)
        expected = actions.expected_hash(asked, requests.latest(action.id))
        took += _timed(lambda: _send(work, action, asked, expected))  # noqa: B023
        settled = ledger.open_action(run.id)
        assert settled is not None
        took += _timed(lambda: _absorb(work, settled))  # noqa: B023
        runs.yield_to_others(work.lease)
    took -= tool.seconds - before
    _advance()  # to its end
    return took * 1000 / effects_count


def storage(people: People, steps: int) -> dict[str, float]:
    """Bytes that a conversation of `steps` times 1 KB takes, and the last 100 steps' cost per first."""
    before = _record_bytes()
    run = start(people, "conversation", steps=steps, bytes_per_step=STEP_BYTES)
    _advance()
    raw, stored = steps * STEP_BYTES, _record_bytes() - before
    return {
        "raw_bytes": raw,
        "stored_bytes": stored,
        "ratio": round(stored / raw, 3),
        "last_to_first_step": round(_last_to_first(run), 3),
    }


def _last_to_first(run: Run) -> float:
    """Gaps between commits, by the database's clock: the last hundred over the first hundred."""
    rows = Checkpoint.objects.filter(run_id=run.id).order_by("seq").values_list("at", flat=True)
    at = list(rows)
    gaps = [(b - a).total_seconds() for a, b in pairwise(at)]
    return statistics.median(gaps[-100:]) / statistics.median(gaps[:100])


def _record_bytes() -> int:
    """All bytes of the record's tables, with indexes and TOAST, after a vacuum of the run row."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM checkpoints_run")
        cursor.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relname LIKE 'checkpoints\\_%' AND relkind IN ('r', 'p')"
        )
        return int(cursor.fetchone()[0])


def _work(run: Run) -> Work:
    lease = leases.acquire(uuid4(), combos=runnable_combos())
    assert lease is not None
    fresh = Run.objects.select_related("tenant", "combo").get(id=run.id)
    graph: Graph = graph_of(fresh.task_type)
    self_stop = SelfStop().__enter__()  # ends with the process
    return Work(lease, fresh, graph, load_head(fresh), self_stop, lambda: False)


def _advance() -> None:
    lease = leases.acquire(uuid4(), combos=runnable_combos())
    assert lease is not None
    with SelfStop() as self_stop:
        executor.advance(lease, self_stop, lambda: False)


def _approve(people: People, run: Run) -> None:
    action = ledger.open_action(run.id)
    assert action is not None
    request = requests.latest(action.id)
    assert request is not None
    read_and_decide(request, people.approver)


def _send(work: Work, action: Action, asked: Question, expected: str) -> None:
    demand = demands.of(action, diff=asked.diff, media=asked.media)
    actions.send(work.lease, demand, expected, work.self_stop)


def _absorb(work: Work, action: Action) -> None:
    effects.absorb(work, action, work.context(), reusing.of_this_run(action))


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
