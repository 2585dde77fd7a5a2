"""Plain verbs for the engine's tests, built on the engine's own."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from approvals import requests
from checkpoints import leases, runs
from checkpoints.asked import Request
from checkpoints.commits import Lease
from checkpoints.models import Run
from checkpoints.registry import runnable_combos
from checkpoints.timers import SelfStop
from execution import executor
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.models import Tenant, User
from tests.opening import read_and_decide


@dataclass
class Bench:
    """One tenant and its people. Turns are taken in this process, under real leases."""

    tenant: Tenant
    starter: User
    approver: User
    world: Path

    def start(self, task_type: str = "steps", **content: Any) -> Run:
        """Start a run of a fresh business key."""
        request = Request(task_type, uuid4().hex, content, channel="test")
        run, _ = runs.start(self.tenant, request, actor=Actor.person(self.starter))
        return run

    def acquire(self) -> Lease:
        """The lease of the next due run. There must be one."""
        lease = leases.acquire(uuid4(), combos=runnable_combos())
        assert lease is not None
        return lease

    def turn(self) -> None:
        """Take one turn with the next due run."""
        with SelfStop() as self_stop:
            executor.advance(self.acquire(), self_stop, lambda: False)

    def decide(self, run: Run, verdict: str = "approve", reason: str = "because") -> None:
        """The approver answers the run's open question."""
        action = Action.objects.get(run=run, absorbed_seq=None)
        request = requests.latest(action.id)
        assert request is not None
        read_and_decide(request, self.approver, verdict, reason)

    def fault(self, name: str) -> Path:
        """Switch a fault of the fake world on; unlink the file to end it."""
        self.world.mkdir(parents=True, exist_ok=True)
        path = self.world / f"fault-{name}"
        path.touch()
        return path
