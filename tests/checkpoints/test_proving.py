"""A decided case is closed when its run committed past the trouble, else it is open again in time."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from checkpoints import cases, proving, runs, states
from checkpoints.cases import Ruling, Trouble
from checkpoints.errors import IllegalMoveError, LeaseLostError
from checkpoints.graph import COMPUTE, Graph, To
from checkpoints.models import Case, Checkpoint, Event, Run
from checkpoints.timers import SelfStop
from execution import executor
from execution.executor import OLD_SCHEMA_NODE, WENT_BACK_NODE
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tenants.notifications.models import Notification
from tests.checkpoints.records import judge_now, refused
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, raises, returns
from tests.execution.runs import bounded_turn, full, waiting

SWEEPER = Actor.machine("sweeper")
LONG_AGO = timedelta(days=1)


def failing(patch: pytest.MonkeyPatch) -> Graph:
    """Three nodes, of which the second fails until it is mended."""
    made = graph()
    made.node("first", COMPUTE, to=["second"])(returns({"n": 1}, "second"))
    made.node("second", COMPUTE, to=["third"])(raises(ValueError("no")))
    made.node("third", COMPUTE, to=["end"])(returns({"n": 3}))
    return install(patch, made)


def mend(made: Graph) -> None:
    made.nodes["second"] = replace(made.nodes["second"], run=lambda state, _: To("third", state))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Graph:
    """Code that may change under its runs: all of it is one combo."""
    monkeypatch.setattr(registry, "manifest", lambda name: {"task_type": name, "code": "same"})
    return failing(monkeypatch)


@pytest.fixture
def run(engine: Bench, made: Graph) -> Run:
    """Held at its second node."""
    run = engine.start("odd")
    engine.turn()
    return run


def give(engine: Bench, run: Run, verdict: str = "try_again", seq: int | None = None) -> Case:
    case = Case.objects.get(run=run, decided_at=None)
    verdicts.give(case.id, Given(verdict, "because", seq=seq), user=engine.approver)
    return case


def the_case() -> Case:
    return Case.objects.get()


def watch() -> int:
    moved = proving.watch(100, actor=SWEEPER)
    judge_now()
    return moved


def overdue() -> None:
    """Let the deadline be over, by the database's clock, with no step committed since."""
    Case.objects.update(prove_by=Now() - timedelta(seconds=1))
    Run.objects.update(progressed_at=Now() - LONG_AGO)


def test_a_case_says_where_its_run_stood(run: Run) -> None:
    assert (the_case().node, the_case().stood_at) == ("second", 1)


def test_the_step_of_the_node_that_failed_proves_it(engine: Bench, run: Run, made: Graph) -> None:
    give(engine, run)
    mend(made)
    bounded_turn(engine, 1)
    assert (full(run).next_node, full(run).status) == ("third", "queued")
    closed = the_case()
    assert closed.closed_because == "the run committed past the trouble"


def test_migrating_an_old_state_does_not_prove_that_a_node_works_again(
    engine: Bench, run: Run, made: Graph
) -> None:
    give(engine, run)
    made.state_schema = 2
    made.migrate(1, 2)(lambda state: state)
    bounded_turn(engine, 0)
    assert Checkpoint.objects.latest("seq").node == OLD_SCHEMA_NODE
    assert the_case().closed_at is None
    mend(made)
    bounded_turn(engine, 1)
    assert the_case().closed_at is not None


def test_having_gone_back_is_done_once_and_proves_nothing_yet(
    engine: Bench, run: Run, made: Graph
) -> None:
    give(engine, run, "go_on_from", seq=1)
    mend(made)
    bounded_turn(engine, 0)
    bounded_turn(engine, 0)
    assert list(Checkpoint.objects.order_by("seq").values_list("node", flat=True)) == [
        "first",
        WENT_BACK_NODE,
    ]
    assert the_case().closed_at is None
    bounded_turn(engine, 1)
    assert the_case().closed_at is not None


def test_an_effect_is_past_when_it_is_absorbed_and_not_when_it_is_asked_for_again(
    engine: Bench,
) -> None:
    run = waiting(engine, "fake.nothing")
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    give(engine, run, "write_off")
    assert the_case().closed_at is None
    engine.turn()
    assert the_case().closed_at is not None


def test_what_was_committed_by_a_worker_that_died_then_proves_it_all_the_same(
    engine: Bench, run: Run, made: Graph
) -> None:
    give(engine, run)
    mend(made)
    lease = replace(engine.acquire(), owes_proof=False)  # it dies before it can say so
    with SelfStop() as self_stop:
        executor.advance(lease, self_stop, iter([False, True, True]).__next__)
    assert (full(run).next_node, the_case().closed_at) == ("third", None)
    assert watch() == 1
    assert the_case().closed_at is not None


def test_a_step_of_another_run_proves_nothing(engine: Bench, run: Run, made: Graph) -> None:
    other = engine.start("odd")
    engine.turn()
    give(engine, run)
    give(engine, other)
    mend(made)
    bounded_turn(engine, 1)
    assert Case.objects.filter(closed_at=None).count() == 1


def test_the_same_trouble_again_is_the_same_case_opened_again(
    engine: Bench, run: Run, made: Graph
) -> None:
    first = give(engine, run)
    engine.turn()
    judge_now()
    again = the_case()
    assert (again.pk, again.decided_at, again.prove_by) == (first.pk, None, None)
    assert again.reopened_at is not None
    assert again.opened_at == first.opened_at
    assert full(run).status == "held"
    event = Event.objects.get(what="case opened again")
    assert event.detail == {"case": str(first.pk), "why": "The same trouble came back."}


def test_another_trouble_is_another_case(engine: Bench, run: Run, made: Graph) -> None:
    give(engine, run)
    made.nodes["second"] = replace(made.nodes["second"], run=raises(KeyError("other")))
    engine.turn()
    judge_now()
    assert Case.objects.filter(decided_at=None).count() == 1
    assert Case.objects.count() == 2


def test_the_clock_runs_while_the_run_should_move(engine: Bench, run: Run) -> None:
    give(engine, run)
    assert watch() == 1
    left = the_case().prove_by
    assert left is not None
    lasts = left - the_case().decided_at  # type: ignore[operator]
    assert timedelta(minutes=30) < lasts < timedelta(minutes=32)
    assert watch() == 0
    assert the_case().prove_by == left


def test_a_node_that_may_take_long_has_longer(engine: Bench, run: Run, made: Graph) -> None:
    made.nodes["second"] = replace(made.nodes["second"], deadline_seconds=3600)
    give(engine, run)
    watch()
    case = the_case()
    assert case.prove_by - case.decided_at > timedelta(minutes=89)  # type: ignore[operator]


def test_what_is_not_proven_in_time_is_open_again_and_holds_its_run(
    engine: Bench, run: Run, settings: Settings
) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    give(engine, run)
    watch()
    overdue()
    fence = full(run).fence
    assert watch() == 1
    again, now = the_case(), full(run)
    assert (again.decided_at, again.prove_by, again.closed_at) == (None, None, None)
    assert again.reopened_at is not None
    assert (now.status, now.reason, now.fence) == ("held", "crash_loop", fence + 1)
    assert "has not committed past the trouble" in now.sentence
    assert Event.objects.filter(what="case opened again").exists()
    assert Notification.objects.filter(kind="case_opened_again_1").exists()
    give(engine, run)
    assert full(run).status == "queued"


def test_whoever_works_on_it_then_commits_nothing_more(engine: Bench, run: Run) -> None:
    give(engine, run)
    watch()
    lease = engine.acquire()
    overdue()
    assert watch() == 1
    with pytest.raises(LeaseLostError):
        runs.yield_to_others(lease)


def test_a_run_that_commits_has_time_again(engine: Bench, run: Run) -> None:
    give(engine, run)
    watch()
    overdue()
    Run.objects.update(progressed_at=Now())
    assert watch() == 1
    assert the_case().prove_by > the_case().decided_at  # type: ignore[operator]
    assert full(run).status == "queued"


@pytest.mark.parametrize("reason", sorted(set(states.REASONS[states.WAITING]) - {states.FOR_RETRY}))
def test_the_clock_stands_while_the_run_waits_as_designed(
    engine: Bench, run: Run, reason: str
) -> None:
    give(engine, run)
    watch()
    overdue()
    Run.objects.update(status="waiting", reason=reason, due_at=None)
    assert watch() == 1
    assert (the_case().prove_by, the_case().decided_at is None) == (None, False)
    assert watch() == 0
    Run.objects.update(status="queued", reason="woken")
    assert watch() == 1
    assert the_case().prove_by is not None


def test_it_runs_while_a_passing_trouble_is_tried_again(engine: Bench, run: Run) -> None:
    give(engine, run)
    watch()
    overdue()
    Run.objects.update(status="waiting", reason="for_retry")
    assert watch() == 1
    assert full(run).status == "held"


def test_it_stands_while_another_case_holds_the_run(engine: Bench, run: Run, made: Graph) -> None:
    give(engine, run)
    watch()
    made.nodes["second"] = replace(made.nodes["second"], run=raises(KeyError("other")))
    engine.turn()
    overdue_first = Case.objects.filter(decided_at__isnull=False)
    overdue_first.update(prove_by=Now() - LONG_AGO)
    assert watch() == 1
    assert overdue_first.get().prove_by is None


def test_a_run_that_had_ended_has_nothing_to_prove(engine: Bench) -> None:
    run = engine.start(steps=1)
    engine.turn()
    assert full(run).status == "succeeded"
    trouble = Trouble("contradicted", "It is there after all.")
    opened = cases.open_case(run.tenant_id, run.pk, trouble, actor=SWEEPER)
    cases.decide(opened, Ruling("it_stands", "Looked."), user=engine.approver)
    assert watch() == 1
    assert the_case().closed_because == "the run had ended"


def test_the_database_refuses_a_deadline_for_what_is_not_decided(run: Run) -> None:
    with refused("only_a_decided_case_has_to_be_proven"):
        Case.objects.update(prove_by=Now())


def test_only_what_was_decided_is_opened_again(run: Run) -> None:
    with pytest.raises(IllegalMoveError, match="not waiting for its proof"):
        cases.open_again(the_case(), run, actor=SWEEPER, why="again")
