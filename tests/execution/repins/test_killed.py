"""Killed anywhere between the state that is brought back and the move, a run comes to the same end."""

import pytest
from django.db import transaction

from checkpoints import reading, repins, runs
from checkpoints.models import Checkpoint, Repin, Run
from execution import repinning
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.repins.pools import CAUSE, NEW, OLD, SHELL, code, wear
from tests.execution.runs import bounded_turn, full, head
from tests.forks import fork

pytestmark = pytest.mark.django_db(transaction=True)


def nodes(run: Run) -> list[str]:
    found = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    return list(found.values_list("node", flat=True))


def killed(engine: Bench, at: str, run: Run) -> None:
    """One turn of its own code that ends there; whoever notices gives its lease away."""
    assert fork(engine.turn, KEDGE_KILL_AT=at).wait() == -9
    left = full(run)
    if left.status == "running":
        assert runs.lapse(run.pk, fence=left.fence, why="it was killed", actor=SHELL)


@pytest.mark.parametrize(
    "at", ["commit:before@1", "commit:after@1", "repin:before@1", "repin:after@1"]
)
def test_killed_before_or_after_each_the_run_moves_once(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    old = wear(monkeypatch, code(OLD))
    own = wear(monkeypatch, code(NEW))
    run = engine.start("odd")
    bounded_turn(engine, 10)  # up to its question: the proposal goes as well
    repinning.order(run, old, why="it is worse", cause=CAUSE, actor=SHELL)
    killed(engine, at, run)
    repinning.move_due()
    if full(run).combo == own:
        engine.turn()
    assert full(run).combo == old
    wear(monkeypatch, code(OLD))
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    assert nodes(run) == ["first", "second", "act", "(migrated)", "act", "act"]
    assert head(run)["by"] == [NEW, NEW, OLD]
    assert (len(effects()), Repin.objects.get().ended) == (1, "moved")
    assert reading.verify_run(full(run)) == []


def test_taken_back_in_between_its_own_code_goes_on(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = wear(monkeypatch, code(OLD))
    own = wear(monkeypatch, code(NEW))
    run = engine.start("odd")
    bounded_turn(engine, 1)
    repin = repinning.order(run, old, why="it is worse", cause=CAUSE, actor=SHELL)
    killed(engine, "repin:before@1", run)
    with transaction.atomic():
        repins.withdraw(repin, why="not needed", actor=SHELL)
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert (full(run).status, full(run).combo) == ("succeeded", own)
    assert nodes(run)[:3] == ["first", "(migrated)", "(migrated)"]
    assert head(run)["total"] == 1
