"""Rules 7 and 8, scenarios S01, S03 and S12: a worker that is stopped, silent or slow, and its successor."""

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import transaction
from pytest_django import Settings

from checkpoints import reading, runs
from checkpoints.models import Case, Checkpoint, Run
from execution import horse, sweeper
from reconciliation.models import Action, Attempt, Receipt
from reconciliation.tools import Call, Sent
from tenants.actors import Actor
from tests.approvals.racing import until
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.runs import full, head, waiting
from tests.forks import Child, fork
from tests.reconciliation.oddtools import put

pytestmark = pytest.mark.django_db(transaction=True)

SWEEPER = Actor.machine("sweeper")
UNDISTURBED = {
    "at": 3,
    "heard": [["happened", ""]],
    "sum": 6,
    "thought": "3 steps",
}


@pytest.fixture
def zombies() -> Iterator[list[Child]]:
    children: list[Child] = []
    yield children
    for child in children:
        child.end()


@pytest.fixture
def patience(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zombies live until the test wakes them, however slow this machine is."""
    settings.KEDGE_LEASE_SECONDS = 60
    for name in ("fake.void", "fake.look_up"):
        put(monkeypatch, name).budget_seconds = 60


def take_turns() -> int:
    return horse.take_turns(uuid4())


def stopped_at(zombies: list[Child], point: str) -> Child:
    """A horse that takes the due run and stands still at a boundary, session lock and all."""
    child = fork(take_turns, KEDGE_STOP_AT=point)
    zombies.append(child)
    child.wait_until_stopped()
    return child


def take_over(run: Run) -> None:
    """Give the lease away although its holder lives, and take a turn."""
    assert runs.lapse(run.id, fence=full(run).fence, why="silent", actor=SWEEPER)
    take_turns()


def lapsed(run: Run) -> bool:
    """Sweep once; whether the run is free again."""
    sweeper.sweep()
    return full(run).status == "queued"


def approved(engine: Bench, tool: str) -> Run:
    run = waiting(engine, tool)
    engine.decide(run)
    return run


def no_trace_of_two(run: Run) -> None:
    assert len(effects()) == 1
    assert full(run).status == "succeeded"
    assert {name: head(run)[name] for name in UNDISTURBED} == UNDISTURBED
    assert reading.verify_run(full(run)) == []
    assert not Case.objects.exists()


def test_s12_an_effect_stopped_right_after_its_intent_does_not_happen_twice(
    engine: Bench, zombies: list[Child], patience: None
) -> None:
    """Successor and zombie compete for one place; whichever comes second is refused."""
    run = approved(engine, "fake.void")
    zombie = stopped_at(zombies, "dispatch:after@1")
    take_over(run)
    assert len(effects()) == 1
    zombie.send(signal.SIGCONT)
    assert zombie.wait() == 0
    no_trace_of_two(run)
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == [
        "absent",
        "happened",
    ]


def test_s12_of_a_tool_that_can_only_look_the_successor_waits_for_the_zombie(
    engine: Bench, zombies: list[Child], patience: None
) -> None:
    run = approved(engine, "fake.look_up")
    zombie = stopped_at(zombies, "dispatch:after@1")
    take_over(run)
    assert (full(run).status, full(run).reason) == ("waiting", "for_settling")
    zombie.send(signal.SIGCONT)
    assert zombie.wait() == 0
    take_turns()
    no_trace_of_two(run)
    assert Attempt.objects.count() == 1


def test_rule_8_a_stopped_worker_is_killed_before_it_could_send_late(
    engine: Bench, zombies: list[Child]
) -> None:
    """The deadline is absolute and armed before the intent: waking up later is too late."""
    run = approved(engine, "fake.look_up")
    zombie = stopped_at(zombies, "dispatch:after@1")
    assert zombie.wait() == -signal.SIGKILL
    assert effects() == []
    assert full(run).effect_in_flight == Action.objects.get().id


def test_rule_8_the_time_spent_before_the_last_check_counts_too(
    engine: Bench, zombies: list[Child]
) -> None:
    run = approved(engine, "fake.void")
    zombie = stopped_at(zombies, "dispatch:before@1")
    assert zombie.wait() == -signal.SIGKILL
    assert effects() == []
    assert full(run).effect_in_flight is None


def test_rule_3_the_receipt_of_a_zombie_is_kept_as_evidence(
    engine: Bench, zombies: list[Child], patience: None
) -> None:
    run = approved(engine, "fake.look_up")
    zombie = stopped_at(zombies, "receipt:before@1")
    take_over(run)
    zombie.send(signal.SIGCONT)
    assert zombie.wait() == 0
    no_trace_of_two(run)
    sources = Receipt.objects.order_by("id").values_list("source", "fence")
    assert list(sources) == [("look_up", 3), ("answer", 2)]


def test_rule_7_the_commit_of_a_zombie_is_refused(
    engine: Bench, zombies: list[Child], patience: None
) -> None:
    run = engine.start(steps=3)
    zombie = stopped_at(zombies, "commit:before@3")
    take_over(run)
    zombie.send(signal.SIGCONT)
    assert zombie.wait() == 0
    fences = list(Checkpoint.objects.order_by("seq").values_list("fence", flat=True))
    assert fences == [1, 1, 2, 2, 2]
    assert full(run).status == "succeeded"


def test_rule_7_a_zombie_that_sleeps_through_its_lease_never_wakes(
    engine: Bench, zombies: list[Child], settings: Settings
) -> None:
    settings.KEDGE_LEASE_SECONDS = 1
    run = engine.start(steps=3)
    zombie = stopped_at(zombies, "commit:before@3")
    assert zombie.wait() == -signal.SIGKILL
    until(lambda: lapsed(run))
    take_turns()
    assert full(run).status == "succeeded"


@pytest.mark.parametrize(
    "point", ["receipt:before@1", "receipt:after@1", "absorb:before@1", "absorb:after@1"]
)
def test_s01_a_kill_between_receipt_and_checkpoint_gives_one_result(
    engine: Bench, point: str
) -> None:
    """Receipt and checkpoint have one order, so where it is killed changes nothing."""
    run = approved(engine, "fake.look_up")
    assert fork(take_turns, KEDGE_KILL_AT=point).wait() == -signal.SIGKILL
    until(lambda: sweeper.sweep()["lapse unlocked"] == 1)
    take_turns()
    no_trace_of_two(run)


def slow(tool: Fake, is_over: Callable[[], bool]) -> Callable[[Call], Sent]:
    """An effect that takes its time after it has happened."""

    def perform(call: Call) -> Sent:
        sent = Fake.perform(tool, call)
        until(is_over)
        return sent

    return perform


def test_s03_an_effect_of_four_leases_has_one_executor(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings, zombies: list[Child]
) -> None:
    settings.KEDGE_LEASE_SECONDS = 0.5
    tool = put(monkeypatch, "fake.look_up")
    run = approved(engine, "fake.look_up")
    renewals: set[object] = set()

    def four_leases_later() -> bool:
        renewals.add(full(run).lease_until)
        return len(renewals) > 4 * 4  # it is renewed four times in each

    tool.budget_seconds = 30
    tool.performing = slow(tool, four_leases_later)
    child = fork(take_turns)
    zombies.append(child)
    until(lambda: full(run).status == "running")
    while full(run).status == "running":
        done = sweeper.sweep()
        assert done["lapse unlocked"] + done["lapse overdue"] == 0
    assert child.wait() == 0
    no_trace_of_two(run)
    assert full(run).fence == 2


def test_s03_a_worker_that_cannot_renew_is_ended_and_its_effect_is_looked_up(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.KEDGE_LEASE_SECONDS = 1
    tool = put(monkeypatch, "fake.look_up")
    run = approved(engine, "fake.look_up")
    sent = tmp_path / "sent"

    def never_back(call: Call) -> Sent:
        Fake.perform(tool, call)
        sent.touch()
        while True:
            signal.pause()

    tool.budget_seconds = 30
    tool.performing = never_back
    child = fork(take_turns)
    until(sent.exists)
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        assert child.wait() == -signal.SIGKILL
    until(lambda: lapsed(run))
    take_turns()
    no_trace_of_two(run)
    assert Attempt.objects.count() == 1


def test_s22_a_killed_worker_that_held_ten_runs_gives_all_of_them_up(engine: Bench) -> None:
    for _ in range(10):
        engine.start(steps=2)
    assert fork(partial(_hold_all_and_die, engine)).wait() == -signal.SIGKILL
    assert Run.objects.filter(status="running").count() == 10
    until(lambda: sweeper.sweep()["lapse unlocked"] == 10)
    assert take_turns() == 10
    assert Run.objects.filter(status="succeeded").count() == 10


def _hold_all_and_die(engine: Bench) -> None:
    for _ in range(10):
        engine.acquire()
    os.kill(os.getpid(), signal.SIGKILL)
