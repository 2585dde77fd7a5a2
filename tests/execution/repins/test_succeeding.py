"""A declared successor takes over what no live worker can run, and nothing else."""

import pytest
from django.core.management import CommandError, call_command

from checkpoints import reading
from checkpoints.models import Combo, Event, Repin, Run, Successor
from checkpoints.registry import runnable_combos
from execution import processes, repinning, succeeding
from execution.plans import rehearsing
from tenants.models import AuditRow
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.execution.repins.pools import CAUSE, NEW, OLD, SHELL, code, lost, wear
from tests.execution.runs import bounded_turn, full, head, waiting

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def left(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run of older code, at work; this process has the newer one."""
    wear(monkeypatch, code(OLD))
    run = engine.start("odd")
    bounded_turn(engine, 1)
    wear(monkeypatch, code(NEW))
    return full(run)


def declare(of: Combo) -> None:
    call_command("combo", "register", "odd", "--successor-of", of.hex)


def take_over() -> int:
    return succeeding.take_over(runnable_combos())


def test_without_a_declaration_nothing_is_taken_over(left: Run) -> None:
    assert take_over() == 0
    assert full(left).combo == left.combo


def test_a_run_without_a_worker_goes_on_under_its_successor(left: Run, engine: Bench) -> None:
    declare(left.combo)
    assert take_over() == 1
    repin = Repin.objects.get()
    assert (repin.cause, repin.ended, repin.ordered_by) == ("successor", "moved", "worker")
    assert Event.objects.filter(run_id=left.pk, what="moved to combo", actor="worker").exists()
    assert AuditRow.objects.filter(verb="moved to combo", subject=f"run {left.pk}").exists()
    engine.turn()
    engine.decide(left)
    engine.turn()
    assert full(left).status == "succeeded"
    assert head(left)["by"] == [OLD, NEW, NEW]
    assert reading.verify_run(full(left)) == []


def test_while_its_own_workers_announce_themselves_nothing_is_taken_over(left: Run) -> None:
    declare(left.combo)
    processes.started("old-1", "worker", codes=[bytes(left.combo.code_part).hex()])
    assert take_over() == 0
    processes.ended("old-1")
    assert take_over() == 1


def test_its_own_worker_that_comes_back_in_between_keeps_it(
    left: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(left.combo)

    def meanwhile(run: Run) -> str:
        processes.started("old-1", "worker", codes=[bytes(left.combo.code_part).hex()])
        return rehearsing.rehearse(run)

    monkeypatch.setattr(succeeding, "rehearse", meanwhile)
    assert take_over() == 0
    assert not Repin.objects.exists()


def test_what_the_successor_cannot_read_is_left(left: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = code(NEW)
    made.migrators.clear()
    wear(monkeypatch, made)
    declare(left.combo)
    assert take_over() == 0
    assert not Repin.objects.exists()


def test_an_effect_that_is_out_is_never_taken_over(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    wear(monkeypatch, code(OLD))
    run = engine.start("odd")
    bounded_turn(engine, 10)
    with lost(engine):
        engine.decide(run)
        engine.turn()
    assert full(run).effect_in_flight is not None
    Run.objects.filter(pk=run.pk).update(due_at="2020-01-01T00Z")
    own = full(run).combo
    wear(monkeypatch, code(NEW))
    declare(own)
    assert take_over() == 0
    assert full(run).combo == own


def test_a_run_that_waits_for_people_keeps_their_answer(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    wear(monkeypatch, code(OLD))
    run = engine.start("odd")
    bounded_turn(engine, 10)
    wear(monkeypatch, code(NEW))
    declare(full(run).combo)
    assert take_over() == 0
    assert full(run).reason == "for_approval"


def test_a_run_that_is_ordered_elsewhere_is_left_to_that(left: Run) -> None:
    declare(left.combo)
    third = another("odd", "otherwise")
    repinning.order(left, third, why="so", cause=CAUSE, actor=SHELL)
    assert full(left).moving_to == third
    assert take_over() == 0


def test_a_successor_is_another_combo_of_the_same_task(engine: Bench) -> None:
    strict = waiting(engine)
    with pytest.raises(CommandError, match="another combo of the same task"):
        call_command("combo", "register", "strict", "--successor-of", full(strict).combo.hex)
    assert not Successor.objects.exists()
