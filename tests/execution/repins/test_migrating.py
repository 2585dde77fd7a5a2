"""A run whose combo writes a newer state: its own code takes that back, and then the run moves."""

from uuid import uuid4

import pytest

from checkpoints import leases, reading
from checkpoints.graph import Graph, Migrator, State
from checkpoints.models import Case, Checkpoint, Combo, Event, Repin, Run
from checkpoints.registry import runnable_combos
from execution import repinforecast, repinning
from reconciliation import verdicts
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.repins.pools import CAUSE, NEW, OLD, SHELL, code, wear
from tests.execution.runs import bounded_turn, full, head

pytestmark = pytest.mark.django_db(transaction=True)


def order(run: Run, to: Combo) -> Repin:
    return repinning.order(run, to, why="it is worse", cause=CAUSE, actor=SHELL)


def nodes(run: Run) -> list[str]:
    found = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    return list(found.values_list("node", flat=True))


def begun(
    engine: Bench, patch: pytest.MonkeyPatch, boundaries: int = 1, made: Graph | None = None
) -> tuple[Run, Combo]:
    """A run of the newer code, at work; and the combo of the older one."""
    old = wear(patch, code(OLD))
    wear(patch, made or code(NEW))
    run = engine.start("odd")
    bounded_turn(engine, boundaries)
    return full(run), old


def test_its_own_code_brings_the_state_back_and_the_other_goes_on(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, old = begun(engine, monkeypatch)
    repin = order(run, old)
    assert (repin.ended, full(run).combo) == ("", run.combo)
    assert repinning.move_due() == 0
    engine.turn()
    repin.refresh_from_db()
    assert (repin.ended, repin.seq, full(run).combo) == ("moved", 2, old)
    assert nodes(run) == ["first", "(migrated)"]
    assert Checkpoint.objects.get(run_id=run.pk, seq=2).combo == run.combo
    assert leases.acquire(uuid4(), combos=runnable_combos()) is None
    wear(monkeypatch, code(OLD))
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    assert head(run)["by"] == [NEW, OLD, OLD]
    assert "total" not in head(run)
    assert reading.verify_run(full(run)) == []


def test_a_proposal_goes_before_the_state_is_taken_back(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, old = begun(engine, monkeypatch, 10)
    first = Action.objects.get()
    order(run, old)
    engine.turn()
    assert nodes(run)[-1] == "(migrated)"
    assert (full(run).combo, Action.objects.get().because) == (old, "withdrawn")
    wear(monkeypatch, code(OLD))
    engine.turn()
    again = Action.objects.get(absorbed_seq=None)
    assert (again.ordinal, again.generation) == (first.ordinal, 2)
    engine.decide(run)
    engine.turn()
    assert (full(run).status, len(effects())) == ("succeeded", 1)


def fails(_state: State) -> State:
    raise KeyError("amount of old")


def leaves_it(state: State) -> State:
    return state


@pytest.mark.parametrize(
    ("down", "says"),
    [
        (None, "has no migrator from state schema 2 to 1"),
        (fails, "KeyError: 'amount of old'"),
        (leaves_it, "failed: ValidationError"),
    ],
)
def test_a51_what_cannot_be_taken_back_is_held_and_says_where_it_is_safe(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, down: Migrator | None, says: str
) -> None:
    made = code(NEW, down=down)
    run, old = begun(engine, monkeypatch, 10, made)
    before = list(Checkpoint.objects.filter(run_id=run.pk).order_by("seq").values())
    assert says in repinforecast.rehearse(run, old)
    repin = order(run, old)
    engine.turn()
    repin.refresh_from_db()
    held = full(run)
    assert (repin.ended, held.status, held.reason) == ("refused", "held", "unmigratable")
    assert (held.combo, held.moving_to) == (run.combo, None)
    assert list(Checkpoint.objects.filter(run_id=run.pk).order_by("seq").values()) == before
    case = Case.objects.get(run=run)
    assert says in case.sentence
    assert case.sentence == repin.sentence
    assert f"at checkpoint {run.head}, before act, in state schema 2" in case.sentence
    assert f"Safe is to go on under its own combo {run.combo}" in case.sentence
    assert Action.objects.get().stands == "proposed"
    assert Event.objects.filter(run_id=run.pk, what="not moved").count() == 1
    verdicts.give(case.id, Given("try_again", reason="on it goes"), user=engine.approver)
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"


def test_a_safe_target_is_a_newer_combo_that_reads_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, old = begun(engine, monkeypatch, 1, code(NEW, down=None))
    mended = wear(monkeypatch, code(NEW), name="mended")
    wear(monkeypatch, code(NEW, down=None))
    order(run, old)
    engine.turn()
    assert f"Safe is forward to combo {mended}" in Repin.objects.get().sentence
