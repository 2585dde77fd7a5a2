"""A release of the tests' task, and the people who move it."""

from dataclasses import dataclass, replace
from typing import Any

from canonical.redaction import ours
from checkpoints import rungs
from checkpoints.models import Combo, Route
from checkpoints.registry import combo_of
from checkpoints.rungs import Step
from releases import beginning, moving
from releases.beginning import Candidate
from releases.gates import standing
from releases.models import Move, Release
from releases.moving import Wanted
from tenants.access import grant
from tenants.models import Tenant, User
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.people import ada, dee


@dataclass(frozen=True)
class Traffic:
    """Ada and Dee manage the releases of this tenant."""

    tenant: Tenant
    candidate: Combo
    ada: User
    dee: User

    def begin(self, **candidate: Any) -> Release:
        usual = Candidate(self.candidate, "better", stable=combo_of("steps"))
        return beginning.begin(self.tenant, replace(usual, **candidate), user=self.ada)

    def propose(self, release: Release, kind: str, share: int = 0, critical: int = 0) -> Move:
        wanted = Wanted(kind, "it is time", share, critical)
        return moving.propose(release.pk, wanted, user=self.ada)

    def move(self, release: Release, kind: str, share: int = 0, critical: int = 0) -> Release:
        move = self.propose(release, kind, share, critical)
        if move.needs_second:
            moving.second(move.pk, move.digest, user=self.dee)
        return moving.make(move.pk, move.digest, user=self.ada)

    def climb(self, *tools: str, to: str = rungs.WRITE) -> None:
        """Up the ladder, rung by rung; what it is worth is judged above the verb that is called."""
        for tool in tools or rungs.tools_of(self.candidate):
            while not rungs.reaches(rungs.of(self.tenant.pk, self.candidate.pk, tool), to):
                stands = rungs.of(self.tenant.pk, self.candidate.pk, tool)
                up = Step(tool, rungs.next_up(stands), ours("it is time"), b"{}")
                rungs.step(self.tenant, self.candidate, up, user=self.dee)

    def canary(self, share: int = 1_000, critical: int = 0) -> Release:
        release = self.move(self.begin(), standing.BEGIN)
        self.climb()
        return self.move(release, standing.WIDEN, share, critical)

    def route(self) -> Route:
        return Route.objects.get(tenant=self.tenant, task_type="steps")


def traffic(bench: Bench) -> Traffic:
    """The tenant of the engine's tests, with a candidate that differs in its prompt."""
    people = ada(bench.tenant), dee(bench.tenant)
    for person in people:
        grant(bench.tenant, person, "manage_releases")
    return Traffic(bench.tenant, another("steps", "the new prompt"), *people)
