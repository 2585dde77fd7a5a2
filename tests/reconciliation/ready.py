"""An approved effect, one step before it is sent: what most tests of the ledger begin with."""

from dataclasses import dataclass, field, replace
from typing import Any

from approvals import requests
from approvals.models import ApprovalRequest
from canonical import json as canonical
from checkpoints.commits import Lease
from checkpoints.models import Run
from reconciliation import actions, asking, demands, ledger, outcomes, states
from reconciliation.demands import Demand
from reconciliation.ledger import Answer
from reconciliation.models import Action, Attempt
from reconciliation.outcomes import Finding
from tests.engine.turns import Bench

LIMITS = (2, 1)
HAPPENED = Answer("answer", canonical.dumps({"what": "a-0"}), states.HAPPENED)
REFUSED = Answer("refusal", b"no", states.REFUSED, note="no")


@dataclass(frozen=True)
class Ready:
    """A leased run whose open action is approved."""

    lease: Lease
    action: Action
    looks: list[Demand] = field(default_factory=list)

    @property
    def request(self) -> ApprovalRequest:
        request = requests.latest(self.action.id)
        assert request is not None
        return request

    @property
    def run(self) -> Run:
        return Run.objects.get(id=self.lease.run_id)

    def hash(self) -> str:
        """What a fresh dry run says now."""
        return self.look()[0]

    def look(self) -> tuple[str, Demand]:
        """Make a fresh dry run: what it says, and what the rules are asked about it."""
        action = self.stored_whole()
        asked = asking.question(action)
        demand = demands.of(action, diff=asked.diff, media=asked.media)
        self.looks.append(demand)
        return actions.expected_hash(asked, self.request), demand

    def dispatch(self, expected_hash: str = "", **lease: Any) -> Attempt:
        """Commit the intent of the newest look, under this lease with some fields changed."""
        seen = expected_hash or self.hash()
        return ledger.dispatch(
            replace(self.lease, **lease),
            self.looks[-1] if self.looks else self.look()[1],
            expected_hash=seen,
            limits=LIMITS,
        )

    def answer(self, attempt: Attempt, answer: Answer = HAPPENED) -> Action:
        """Bring what was learnt of an attempt, as somebody who holds no lease."""
        fetched = Attempt.objects.select_related("action").get(pk=attempt.pk)
        return ledger.record_answer(fetched, answer, fence=attempt.fence)

    def end(self, attempt: Attempt, outcome: str = states.ATTEMPT_ABSENT) -> bool:
        """End an attempt as proven without effect."""
        fetched = Attempt.objects.select_related("action").get(pk=attempt.pk)
        return ledger.end_attempt(fetched, outcome)

    def stored_whole(self) -> Action:
        """The action as the executor reads it."""
        return Action.objects.select_related("run", "tenant").get(pk=self.action.pk)

    def stored(self) -> Action:
        return Action.objects.get(pk=self.action.pk)


def ready(engine: Bench, tool: str = "fake.void") -> Ready:
    """A run that was approved a moment ago and is leased."""
    run = engine.start(tool=tool, what="a")
    engine.turn()
    engine.decide(run)
    lease = engine.acquire()
    assert lease.run_id == run.id
    return Ready(lease, Action.objects.select_related("run", "tenant").get(run=run))


def reconcile(it: Ready, *, void: bool = False) -> Finding:
    """Find out what became of the action, as the executor does."""
    return outcomes.reconcile(it.stored_whole(), fence=it.lease.fence, void=void)
