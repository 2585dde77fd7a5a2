"""The fakes' world outlives processes, and their faults do what they say."""

import multiprocessing
import time
from pathlib import Path

import pytest

from canonical.json import CanonicalError, loads
from reconciliation.tools import (
    Absent,
    Call,
    CredentialInvalid,
    Found,
    Refused,
    Unanswered,
    Voided,
)
from tests.contract.fakes import FakeKeyed, FakeLookUp, FakeNothing, FakeVoid, InFlight, PlaceTaken
from tests.contract.outside import FAULTS_VARIABLE, Outside
from tests.contract.worlds import make_call, next_attempt

FORK = multiprocessing.get_context("fork")


def pay() -> Call:
    return make_call({"target": "Ann", "amount": 1250})


def killed_after_the_effect(tool: FakeNothing, call: Call) -> None:
    """Perform in a worker that waits before it answers, and kill the worker there."""
    tool.outside.set_faults(delay_answer_until=str(tool.outside.folder / "never"))
    worker = FORK.Process(target=tool.perform, args=[call])
    worker.start()
    end = time.monotonic() + 10
    while not tool.effects(call.key):
        assert time.monotonic() < end
    worker.kill()
    worker.join()
    tool.outside.set_faults()


def test_an_effect_outlives_the_worker_that_is_killed(tmp_path: Path) -> None:
    tool, call = FakeVoid(tmp_path), pay()
    killed_after_the_effect(tool, call)
    found = FakeVoid(tmp_path).look_up(next_attempt(call))
    assert isinstance(found, Found)
    with pytest.raises(PlaceTaken):
        tool.perform(next_attempt(call))
    assert tool.effects(call.key) == 1


def test_a_key_is_free_again_when_the_worker_in_flight_is_killed(tmp_path: Path) -> None:
    tool, call = FakeKeyed(tmp_path), pay()
    killed_after_the_effect(tool, call)
    assert loads(tool.perform(next_attempt(call)).receipt) == {
        "action_id": call.action_id,
        "attempt_id": call.attempt_id,
        "key": call.key,
        "target": "Ann",
        "amount": 1250,
    }
    assert tool.effects(call.key) == 1


@pytest.mark.parametrize("locks", [True, False])
def test_a_key_in_flight_is_locked_only_if_it_says_so(tmp_path: Path, *, locks: bool) -> None:
    tool, call = FakeKeyed(tmp_path, locks_in_flight=locks), pay()
    with tool._in_flight(call):
        if locks:
            with pytest.raises(InFlight):
                tool.perform(next_attempt(call))
        else:
            tool.perform(next_attempt(call))
        tool.arrive(call)  # the first of the two goes on
    assert tool.effects(call.key) == (1 if locks else 2)


def test_a_key_is_forgotten_after_its_time(tmp_path: Path) -> None:
    tool, call = FakeKeyed(tmp_path, remembers_seconds=0), pay()
    tool.perform(call)
    tool.perform(next_attempt(call))
    assert tool.effects(call.key) == 2


def test_an_effect_is_seen_only_after_the_lag(tmp_path: Path) -> None:
    tool, call = FakeLookUp(tmp_path, lag_seconds=60), pay()
    sent = tool.perform(call)
    assert tool.look_up(call) == Absent()
    assert FakeLookUp(tmp_path).effects(call.key) == 1
    tool.outside.rows("update effect set visible_at = 0")
    assert tool.look_up(call) == Found(sent.receipt)
    assert tool.margin_seconds > 60


def test_a_tool_without_a_place_repeats_its_effect_and_says_how_often(tmp_path: Path) -> None:
    tool, call = FakeLookUp(tmp_path), pay()
    sent = tool.perform(call)
    tool.perform(next_attempt(call))
    assert tool.look_up(call) == Found(sent.receipt, 2)


def test_a_late_request_meets_the_tombstone(tmp_path: Path) -> None:
    tool, call = FakeVoid(tmp_path), pay()
    assert isinstance(tool.void(call), Voided)
    with pytest.raises(PlaceTaken):
        tool.arrive(call)
    assert tool.effects(call.key) == 0


def test_faults_hold_for_the_first_requests_of_an_action(tmp_path: Path) -> None:
    tool, call = FakeNothing(tmp_path), pay()
    tool.outside.set_faults(refuse=1, lose=2, drop_answer=3, garbage=4)
    with pytest.raises(Refused):
        tool.perform(call)
    with pytest.raises(ConnectionError, match="lose"):
        tool.perform(call)
    assert tool.effects(call.key) == 0
    with pytest.raises(ConnectionResetError):
        tool.perform(call)
    with pytest.raises(CanonicalError):
        loads(tool.perform(call).receipt)
    assert loads(tool.perform(call).receipt)
    assert tool.effects(call.key) == 3
    with pytest.raises(Refused):
        tool.perform(pay())


def test_faults_can_be_for_one_tool_and_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, sent, call = FakeLookUp(tmp_path), FakeNothing(tmp_path), pay()
    asked.outside.set_faults("fake_look_up", unanswered=1)
    with pytest.raises(Unanswered):
        asked.look_up(call)
    assert asked.look_up(call) == Absent()
    monkeypatch.setenv(FAULTS_VARIABLE, '{"fake_nothing": {"refuse": 1, "credential": 1}}')
    with pytest.raises(Refused):
        sent.perform(call)
    with pytest.raises(CredentialInvalid):
        sent.check_credential(call.tenant)
    asked.perform(call)


def test_somebody_elses_change_shows_in_the_dry_run(tmp_path: Path) -> None:
    tool, call = FakeVoid(tmp_path), pay()
    assert tool.dry_run(call).resources == {"Ann": ""}
    Outside(tmp_path).touch("Ann")
    assert tool.dry_run(call).resources == {"Ann": "1"}


def test_a_delay_ends_when_its_file_appears_or_its_time_is_over(tmp_path: Path) -> None:
    tool, call, gate = FakeVoid(tmp_path), pay(), tmp_path / "gate"
    tool.outside.set_faults(delay_until=str(gate))
    worker = FORK.Process(target=tool.perform, args=[call])
    worker.start()
    assert tool.effects(call.key) == 0
    gate.touch()
    worker.join(10)
    assert tool.effects(call.key) == 1
    tool.outside.set_faults(delay_until=str(tmp_path / "never"))
    with pytest.raises(TimeoutError):
        tool.perform(make_call({"target": "Bob", "amount": 1}, budget=0.2))


def test_processes_write_beside_each_other(tmp_path: Path) -> None:
    tool, calls = FakeNothing(tmp_path), [pay() for _ in range(4)]
    workers = [FORK.Process(target=tool.perform, args=[call]) for call in calls]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)
    assert [tool.effects(call.key) for call in calls] == [1, 1, 1, 1]
    assert tool.outside.requests() == 4
