"""Plain verbs for rollbacks in tests: runs on the candidate, a rollback, and rounds of the sweeper."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.db.models import Q

from approvals import requests
from approvals.models import ApprovalRequest
from checkpoints import leases, runs
from checkpoints.asked import Request
from checkpoints.models import Combo, Run
from checkpoints.registry import runnable_combos
from releases.gates import standing
from releases.models import Release
from releases.rollbacks import carrying, ordering, phases, proposing, signing
from releases.rollbacks.models import Rollback
from releases.rollbacks.proposing import Wanted
from tenants.access import grant
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.opening import read_and_decide
from tests.releases.traffic import Traffic

TOOL = "fake.void"


@dataclass(frozen=True)
class Rolling:
    """A tenant with releases; Ada and Dee roll back, and reconcile."""

    bench: Bench
    traffic: Traffic

    def canary(self, **begun: Any) -> Release:
        """The candidate gets every new run; it may write with the tools of the tests."""
        release = self.traffic.move(self.traffic.begin(**begun), standing.BEGIN)
        self.traffic.climb(*TOOLS)
        for person in (self.traffic.ada, self.traffic.dee):
            grant(self.traffic.tenant, person, "reconcile_actions")
        return self.traffic.move(release, standing.WIDEN, 10_000, 10_000)

    def run(self, combo: Combo | None = None, **content: Any) -> Run:
        """A run of the candidate, or of another combo, not yet taken up."""
        pinned = combo or self.traffic.candidate
        request = Request("steps", uuid4().hex, content, channel="test", pinned_to=pinned)
        run, _ = runs.start(self.bench.tenant, request, actor=Actor.person(self.bench.starter))
        return run

    def asking(self, tool: str = TOOL, what: str = "a") -> Run:
        """A run of the candidate that waits for a yes."""
        run = self.run(tool=tool, what=what)
        self.turn(run)
        return run

    def done(self, tool: str = TOOL, what: str = "a") -> Run:
        """A run of the candidate whose effect has happened, and that has ended."""
        run = self.asking(tool, what)
        self.approve(run)
        self.turn(run)
        run.refresh_from_db()
        assert run.status == "succeeded", run.sentence
        return run

    def turn(self, run: Run) -> None:
        """Take one turn with this run; others wait meanwhile."""
        others = Run.objects.filter(~Q(pk=run.pk), due_at__isnull=False)
        due = dict(others.values_list("pk", "due_at"))
        others.update(due_at=None)
        self.bench.turn()
        for pk, at in due.items():
            Run.objects.filter(pk=pk, due_at=None, status__in=["queued", "waiting"]).update(
                due_at=at
            )

    def turns(self, most: int = 20) -> None:
        """Take turns until no run is due."""
        for _ in range(most):
            if not leases.others_are_due(runnable_combos()):
                return
            self.bench.turn()
        raise AssertionError(f"still due after {most} turns")

    def approve(self, run: Run) -> None:
        request = requests.latest(run.actions.get(absorbed_seq=None).pk)
        assert request is not None
        read_and_decide(request, self.bench.approver, "approve", "as it should be")

    def question(self, run: Run) -> ApprovalRequest:
        return ApprovalRequest.objects.filter(run=run).latest("asked_at")

    def propose(self, release: Release, **choices: str) -> Rollback:
        wanted = Wanted("it writes nonsense", choices)
        return proposing.propose(release.pk, wanted, user=self.traffic.ada)

    def start(self, release: Release, **choices: str) -> Rollback:
        return self.started(self.propose(release, **choices))

    def started(self, rollback: Rollback) -> Rollback:
        """Ordered by Ada, with Dee's yes where two are asked for."""
        if rollback.needs_second:
            ordering.second(rollback.pk, rollback.digest, user=self.traffic.dee)
        return ordering.start(rollback.pk, rollback.digest, user=self.traffic.ada)

    def carry(self, rollback: Rollback, *, until: str = phases.CLOSED, most: int = 12) -> Rollback:
        """Rounds of sweeper and workers until it stands in a phase, or nothing moves it."""
        for _ in range(most):
            rollback.refresh_from_db()
            if rollback.phase == until:
                return rollback
            carrying.carry_on(rollback.pk)
            if phases.is_at_least(rollback.phase, phases.RECONCILING):
                self.turns()
        rollback.refresh_from_db()
        assert until in (rollback.phase, phases.CLOSED), rollback.waits_for
        return rollback

    def accept_all(self, rollback: Rollback) -> None:
        effects = list(rollback.effects.filter(signed_off="").values_list("pk", flat=True))
        signing.accept(rollback.pk, effects, reason="it was right", user=self.traffic.ada)


TOOLS = (
    "fake.void",
    "fake.look_up",
    "fake.nothing",
    "fake.keyed",
)
