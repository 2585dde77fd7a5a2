"""Void against push, and what a killed worker leaves behind (rule 1)."""

import multiprocessing
import os
import select
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agents.tools.git.errors import NotConfirmed
from agents.tools.git.tool import GitPush
from reconciliation.tools import Absent, Call, Found, Sent, Unanswered, Voided
from tests.agents.tools.git.conftest import MakeCall
from tests.agents.tools.git.remote import Remote
from tests.contract.worlds import make_call

RACES = 40
# A push to a branch says who serves it, then waits; a void passes.
SLOW = """
while read old new ref; do case $ref in refs/heads/*) slow=1;; esac; done
[ -z "$slow" ] || { echo $PPID > {started}; cat {gate} > /dev/null; }
"""


class Gate:
    """A remote's hook that holds every push to a branch until it is opened."""

    def __init__(self, remote: Remote, folder: Path) -> None:
        self._started, self._gate = folder / "started", folder / "gate"
        os.mkfifo(self._started)
        os.mkfifo(self._gate)
        script = SLOW.replace("{started}", str(self._started)).replace("{gate}", str(self._gate))
        remote.hook("pre-receive", script)

    def wait(self) -> int:
        """Until a push sits in the hook; returns the process of the remote that serves it."""
        return int(self._started.read_text())

    def open(self) -> None:
        self._gate.write_text("go\n")


@pytest.fixture
def gate(remote: Remote, tmp_path: Path) -> Gate:
    return Gate(remote, tmp_path)


def wait_for_end(process: int) -> None:
    """Until a process that is not our child has ended."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 20)[0], f"{process} did not end"
    finally:
        os.close(descriptor)


def answer_of(ask: Callable[[Call], object], call: Call) -> object:
    try:
        return ask(call)
    except Exception as error:
        return error


def race(tool: GitPush, call: Call) -> tuple[object, object]:
    """What push and void answer when they start together."""
    answers: dict[str, object] = {}
    start = threading.Barrier(2)

    def go(name: str, ask: Callable[[Call], object]) -> None:
        start.wait()
        answers[name] = answer_of(ask, call)

    threads = [
        threading.Thread(target=go, args=["push", tool.perform]),
        threading.Thread(target=go, args=["void", tool.void]),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers["push"], answers["void"]


def test_of_push_and_void_exactly_one_side_wins(
    tool: GitPush, remote: Remote, propose: MakeCall
) -> None:
    call, won = propose(), {"push": 0, "void": 0}
    for number in range(RACES):
        branch = f"race-{number}"
        remote.reset(call.parameters["expected"], branch)
        parameters = {**call.parameters, "branch": branch}
        one = replace(make_call(parameters), read_blob=call.read_blob)
        pushed, voided = race(tool, one)
        has_moved = remote.head(branch) == call.parameters["commit"]
        won["push" if has_moved else "void"] += 1
        if has_moved:
            assert isinstance(pushed, Sent)
            assert voided == Found(pushed.receipt)
        else:
            assert isinstance(pushed, NotConfirmed)
            assert isinstance(voided, Voided | Unanswered)
            assert isinstance(tool.void(one), Voided)
    assert sum(won.values()) == RACES


def test_a_push_that_sits_in_a_hook_dies_on_the_tombstone(
    tool: GitPush, remote: Remote, propose: MakeCall, gate: Gate
) -> None:
    call, answers = propose(), list[object]()
    push = threading.Thread(target=lambda: answers.append(answer_of(tool.perform, call)))
    push.start()
    gate.wait()
    assert isinstance(tool.void(call), Voided)
    gate.open()
    push.join()
    assert isinstance(answers[0], NotConfirmed)
    assert "reference already exists" in str(answers[0])
    assert remote.head() == call.parameters["expected"]


def killed_in_the_hook(tool: GitPush, call: Call, gate: Gate) -> int:
    """Kill a worker while its push waits in the hook; returns the serving process."""
    worker = multiprocessing.get_context("fork").Process(target=tool.perform, args=[call])
    worker.start()
    serving = gate.wait()
    assert worker.pid
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
    worker.kill()
    worker.join()
    for child in children:
        wait_for_end(int(child))  # the parent-death signal
    return serving


def test_a_push_lands_after_its_worker_and_its_git_are_dead(
    tool: GitPush, remote: Remote, propose: MakeCall, gate: Gate
) -> None:
    call = propose()
    serving = killed_in_the_hook(tool, call, gate)
    assert tool.look_up(call) == Absent()  # observed, and not yet true for good
    gate.open()
    wait_for_end(serving)
    assert remote.head() == call.parameters["commit"]
    assert isinstance(tool.look_up(call), Found)


def test_after_a_void_the_push_of_a_dead_worker_cannot_land(
    tool: GitPush, remote: Remote, propose: MakeCall, gate: Gate
) -> None:
    call = propose()
    serving = killed_in_the_hook(tool, call, gate)
    assert isinstance(tool.void(call), Voided)
    gate.open()
    wait_for_end(serving)
    assert remote.head() == call.parameters["expected"]
    assert tool.look_up(call).voided  # type: ignore[union-attr]


def test_a_push_that_takes_too_long_is_unknown(
    tool: GitPush, remote: Remote, propose: MakeCall, gate: Gate
) -> None:
    call = propose()
    with pytest.raises(TimeoutError):
        tool.perform(replace(call, budget_seconds=3.0))
    serving = gate.wait()
    gate.open()
    wait_for_end(serving)
    assert isinstance(tool.look_up(call), Found)
