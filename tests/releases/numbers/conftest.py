"""A candidate that this installation runs, beside a stable combo that it ran before."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from checkpoints.models import Combo, Run
from checkpoints.registry import combo_of
from releases.numbers.subjects import Subject
from tests.checkpoints.combos import another
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench


class World:
    """Runs of both arms; those of the candidate are taken as far as they go."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.candidate: Combo = combo_of("steps")
        self.stable: Combo = another("steps", "as it was")
        self.subject = Subject(
            bench.tenant,
            "steps",
            self.candidate,
            self.stable,
            since=timezone.now() - timedelta(minutes=5),
        )

    def ran(self, **content: Any) -> Run:
        """A run of the candidate after one turn."""
        run = self.bench.start(**{"steps": 1, **content})
        self.bench.turn()
        return run

    def effect(self, verdict: str = "approve") -> Run:
        """A run of the candidate that asked for an effect, and was told yes or no."""
        run = self.ran(tool="fake.look_up", what="a")
        self.bench.decide(run, verdict)
        self.bench.turn()
        return run

    def began(self, combo: Combo | None = None) -> Run:
        """A run of the stable combo that nobody has taken yet."""
        run = self.bench.start(steps=1)
        with by_force():
            Run.objects.filter(pk=run.pk).update(combo=combo or self.stable, due_at=None)
        return run

    def move(self, run: Run) -> None:
        """Let a run of the candidate go on under the stable combo."""
        with by_force():
            Run.objects.filter(pk=run.pk).update(combo=self.stable)


@pytest.fixture
def world(engine: Bench) -> World:
    return World(engine)
