"""A proof in the middle of a turn, and of a node that had run before its trouble."""

from typing import Any

import pytest

from checkpoints import proving
from checkpoints.graph import COMPUTE, Graph, To
from checkpoints.models import Case, Checkpoint, Run
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install
from tests.execution.runs import bounded_turn


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A graph whose only node runs three times, and fails the second time while this is not empty."""
    monkeypatch.setattr(registry, "manifest", lambda name: {"task_type": name, "code": "same"})
    yes = [1]

    def count(state: dict[str, Any], _: object) -> To:
        n = state.get("n", 0) + 1
        if yes and n == 2:
            raise ValueError("no")
        return To("first" if n < 3 else "end", {"n": n})

    made: Graph = graph()
    made.node("first", COMPUTE, to=["first", "end"])(count)
    install(monkeypatch, made)
    return yes


@pytest.fixture
def run(engine: Bench, broken: list[int]) -> Run:
    run = engine.start("odd")
    engine.turn()
    return run


def give(engine: Bench, verdict: str, seq: int | None = None) -> None:
    case = Case.objects.get(decided_at=None)
    verdicts.give(case.pk, Given(verdict, "because", seq=seq), user=engine.approver)


def test_what_the_node_did_before_its_trouble_proves_nothing(engine: Bench, run: Run) -> None:
    assert Checkpoint.objects.get().node == "first"
    give(engine, "try_again")
    assert not proving.close_past(run.pk)
    assert Case.objects.get().closed_at is None


def test_a_turn_goes_on_proving_until_it_is_past(
    engine: Bench, run: Run, broken: list[int]
) -> None:
    """Its first commit only goes back; the second proves it, in the same turn."""
    broken.clear()
    give(engine, "go_on_from", seq=1)
    bounded_turn(engine, 1)
    assert Checkpoint.objects.count() == 3
    assert Case.objects.get().closed_at is not None
