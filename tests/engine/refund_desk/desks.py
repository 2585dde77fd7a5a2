"""A refund desk under the whole engine: the installation's own agents, at real systems."""

from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from django.db.models.functions import Now

from agents import mailsink
from approvals import clock, decisions
from approvals.decisions import Given
from approvals.models import ApprovalRequest
from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.models import Run
from checkpoints.registry import combo_of
from reconciliation.models import Action
from tenants.actors import Actor, Proof
from tenants.models import User
from tests.engine.turns import Bench
from tests.opening import open_all
from tests.servers.shop import Shop


@dataclass
class Desk:
    """A bench whose tenant has a shop; the second approver is there as well as the first."""

    bench: Bench
    shop: Shop
    second: User
    letters: Path

    def begin(self, ticket: str, variant: str = "") -> Run:
        """Start a refund and let it go as far as it goes by itself."""
        run = self.started("refund_desk", {"ticket": ticket}, variant)
        self.turn(run)
        return run

    def turn(self, run: Run) -> None:
        """Take turns as long as the run is due: what it did itself may have woken it."""
        for _ in range(5):
            self.bench.turn()
            run.refresh_from_db()
            if run.status != "queued":
                return

    def started(self, task_type: str, given: dict[str, str], variant: str = "") -> Run:
        """A run that has not begun."""
        combo = combo_of(task_type, variant)
        request = Request(task_type, uuid4().hex, given, channel="test", pinned_to=combo)
        run, _ = runs.start(self.bench.tenant, request, actor=Actor.person(self.bench.starter))
        return run

    def asked(self, run: Run) -> ApprovalRequest:
        """The question that the run waits for."""
        run.refresh_from_db()
        assert (run.status, run.reason) == ("waiting", "for_approval"), run.sentence
        return ApprovalRequest.objects.get(run=run, state="open")

    def say(
        self, run: Run, verdict: str = "approve", *, user: User | None = None, proved: bool = False
    ) -> None:
        """One answer to the open question, of somebody who read it; nobody takes a turn."""
        asked, user = self.asked(run), user or self.bench.approver
        open_all(asked.pk, user)
        proof = Proof("app", clock.now()) if proved else None
        given = Given(verdict, "Because.", asked.action_hash)
        decisions.decide(asked.pk, given, actor=Actor.person(user, proof), user=user)

    def approve(self, run: Run, *, until: str = "") -> None:
        """Say yes to everything, turn after turn, until this tool is asked for or the run ends."""
        for _ in range(12):
            run.refresh_from_db()
            if run.status != "waiting" or self.asked(run).tool == until:
                return
            self.say(run)
            self.turn(run)
        raise AssertionError(f"it goes on and on: {run.sentence}")

    def turn_later(self, run: Run) -> None:
        """Take the turn that the run waits for a while with."""
        Run.objects.filter(pk=run.pk).update(due_at=Now())
        self.turn(run)

    def actions(self, run: Run) -> list[tuple[str, str]]:
        """Tool and outcome of every action, oldest first."""
        found = Action.objects.filter(run=run).order_by("proposed_seq")
        return list(found.values_list("tool", "outcome"))

    def mails(self) -> list[mailsink.Mail]:
        """What the customers got."""
        return mailsink.mails(self.letters)
