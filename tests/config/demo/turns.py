"""Runs of the demo, moved on by workers that are forked from a test, as `work` forks its horses."""

import os
import signal
import subprocess
from pathlib import Path
from uuid import uuid4

from agents.fleet_change.graph import TASK_TYPE
from approvals.models import ApprovalRequest, Decision
from checkpoints import leases, runs
from checkpoints.asked import Request
from checkpoints.models import Run
from checkpoints.registry import runnable_combos
from checkpoints.timers import SelfStop
from config.demo import campaigns, people, unknown
from config.management.commands import twin
from execution import executor, horse, lapses
from tenants.actors import Actor
from tenants.models import Tenant
from tests import ground
from tests.agents.git_fixtures import git
from tests.forks import fork


def start(repository: str) -> Run:
    """Start the demo's fleet change of one repository, as the seed does."""
    planned = {run.input["repository"]: run for _, run in campaigns.planned(campaigns.CAMPAIGNS[0])}
    given = planned[repository]
    request = Request(TASK_TYPE, given.business_key, given.input, channel="demo")
    tenant = Tenant.objects.get(slug=people.HARBOUR)
    return runs.start(tenant, request, actor=people.SEED)[0]


def turn() -> None:
    """One turn with the run that is due, in this process and its transaction."""
    lease = leases.acquire(uuid4(), combos=runnable_combos())
    assert lease is not None
    with SelfStop() as self_stop:
        executor.advance(lease, self_stop, lambda: False)


def work(**environment: str) -> int:
    """One worker with one horse, until nothing is due; how it ended."""
    return fork(_worker, **environment).wait()


def take_over() -> None:
    """What the sweeper and another worker do after a worker died."""
    # PostgreSQL lets go of a dead session's lock when it sees the closed socket, not before.
    ground.wait_for(lambda: lapses.unlocked(actor=Actor.machine("sweeper")) == 1, "a lease is free")
    assert work() == 0


def twin_works() -> None:
    """RQ's own command, until its queue is empty."""
    command = [*twin.worker(), "--burst"]
    subprocess.run(command, check=True, timeout=120, cwd=ground.ROOT)


def asked(run: Run) -> ApprovalRequest:
    """The run's open question."""
    return ApprovalRequest.objects.get(run=run, state="open")


def in_doubt(run: Run) -> None:
    """Bring the run to where nobody knows, by the demo's own answers and a mail server that dies."""
    while run.status != "held":
        turn()
        unknown.drive()
        run.refresh_from_db()


def answered(run: Run) -> Decision:
    """The one answer that was given for the run."""
    return Decision.objects.get(request__run=run)


def commits(remote: Path, key: str) -> int:
    """How many commits of this remote carry the business key."""
    return git(str(remote), "log", "--format=%B", "main").splitlines().count(f"Fleet-Change: {key}")


def _worker() -> None:
    child = os.fork()
    if child == 0:
        horse.take_turns(uuid4())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
