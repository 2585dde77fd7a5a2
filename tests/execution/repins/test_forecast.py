"""What would become of runs that were to move: told before anything moves, in few queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from approvals.models import ApprovalRequest
from checkpoints.models import Checkpoint, Combo, Run
from execution import processes, repinforecast
from execution.repinforecast import Foreseen, forecast
from reconciliation.models import Action
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.execution.repins.pools import NEW, OLD, code, lost, wear
from tests.execution.runs import bounded_turn, full, waiting

pytestmark = pytest.mark.django_db(transaction=True)


def foreseen(run: Run, to: Combo) -> Foreseen:
    [found] = forecast(Run.objects.filter(pk=run.pk), to)
    return found


def test_each_run_is_told_apart(engine: Bench) -> None:
    to = another("steps", "otherwise")
    fresh = engine.start()
    bounded_turn(engine, 1)
    ended = engine.start(steps=1)
    engine.turn()
    engine.turn()
    asked, declined, out = (waiting(engine) for _ in range(3))
    engine.decide(declined, "reject")
    Run.objects.filter(pk=declined.pk).update(due_at=None)
    with lost(engine):
        engine.decide(out)
        engine.turn()
    kinds = {each.run_id: each.kind for each in forecast(Run.objects.all(), to)}
    assert [kinds[run.pk] for run in (fresh, ended, asked, declined, out)] == [
        *("ended", "ended", "pinned_by_approval", "in_flight", "in_flight")
    ]
    pinned = foreseen(asked, to)
    assert pinned.action_id == Action.objects.get(run=asked).pk
    assert pinned.request_id == ApprovalRequest.objects.get(run=asked).pk
    assert "write a-0" in pinned.sentence
    assert "an effect of it is out" in foreseen(out, to).sentence.lower()
    assert "people have answered" in foreseen(declined, to).sentence.lower()
    assert foreseen(asked, full(asked).combo).kind == "there_already"


def test_a_run_that_reads_alike_goes_on_from_where_it_stands(engine: Bench) -> None:
    run, to = engine.start(steps=3), another("steps", "otherwise")
    assert (foreseen(run, to).kind, foreseen(run, to).schema) == ("same_schema", None)
    bounded_turn(engine, 1)
    found = foreseen(run, to)
    assert (found.kind, found.schema, found.reads) == ("same_schema", 1, 1)
    assert not found.needs_own_code


def test_a_newer_state_needs_a_worker_of_its_own_code(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = wear(monkeypatch, code(OLD))
    wear(monkeypatch, code(NEW))
    run = engine.start("odd")
    bounded_turn(engine, 1)
    found = foreseen(run, old)
    assert (found.kind, found.schema, found.reads) == ("down_migrator", NEW, OLD)
    assert (found.needs_own_code, found.is_manned) == (True, False)
    part = bytes(full(run).combo.code_part).hex()
    processes.started("w-1", "worker", codes=[part])
    assert foreseen(run, old).is_manned
    wear(monkeypatch, code(OLD))  # the page is of other code; what the combo says is enough
    assert foreseen(run, old).kind == "down_migrator"


def test_a51_what_nothing_leads_back_from_is_named_with_a_safe_target(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = wear(monkeypatch, code(OLD))
    wear(monkeypatch, code(NEW, down=None))
    run = engine.start("odd")
    bounded_turn(engine, 10)
    found = foreseen(run, old)
    assert (found.kind, found.head, found.node) == ("forward_only", full(run).head, "act")
    assert "in state schema 2; that combo reads 1, and nothing leads back" in found.sentence
    assert f"Safe is to go on under its own combo {full(run).combo}" in found.sentence


def test_a_rehearsal_runs_the_migrators_and_keeps_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = wear(monkeypatch, code(OLD))
    wear(monkeypatch, code(NEW))
    run = engine.start("odd")
    assert repinforecast.rehearse(full(run), old) == ""
    bounded_turn(engine, 1)
    rows = Checkpoint.objects.count()
    assert repinforecast.rehearse(full(run), old) == ""
    wear(monkeypatch, code(OLD))
    assert "is not here" in repinforecast.rehearse(full(run), old)
    assert Checkpoint.objects.count() == rows


def test_the_number_of_queries_does_not_grow_with_the_runs(engine: Bench) -> None:
    to = another("steps", "otherwise")

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            forecast(Run.objects.all(), to)
        return len(seen)

    engine.start()
    few = queries()
    for _ in range(5):
        engine.start()
    assert queries() == few
    assert few <= 8
