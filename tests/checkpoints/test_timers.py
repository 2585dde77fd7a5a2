"""The kernel timer that ends a process: whatever it does, wherever it stands."""

import os
import select
import signal
import time
from collections.abc import Callable

import pytest

from checkpoints.timers import SelfStop, boot_id, boot_seconds
from tests.forks import fork
from tests.ground import wait_for

KILLED = -signal.SIGKILL


def for_ever() -> None:
    while True:
        select.select([], [], [], 60)


def spinning() -> None:
    while True:
        pass


def stopped() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def run_limited(work: Callable[[], object], *limits: float) -> Callable[[], None]:
    def child() -> None:
        with SelfStop() as self_stop:
            for number, seconds in enumerate(limits):
                self_stop.limit(str(number), boot_seconds() + seconds)
            work()

    return child


@pytest.mark.parametrize("work", [for_ever, spinning, stopped])
def test_a_process_dies_at_its_limit_whatever_it_does(work: Callable[[], None]) -> None:
    assert fork(run_limited(work, 0.1)).wait() == KILLED


def test_the_earliest_limit_counts() -> None:
    began = time.monotonic()
    assert fork(run_limited(for_ever, 60, 0.1, 30)).wait() == KILLED
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("at", [0.0, 1e-12, 1.0])
def test_a_limit_in_the_past_kills_at_once(at: float) -> None:
    def child() -> None:
        with SelfStop() as self_stop:
            self_stop.limit("past", at)
            for_ever()

    assert fork(child).wait() == KILLED


def test_a_lifted_limit_spares_the_process_and_leaves_the_others() -> None:
    def child() -> None:
        with SelfStop() as self_stop:
            self_stop.limit("short", boot_seconds() + 0.05)
            self_stop.limit("long", boot_seconds() + 0.3)
            self_stop.lift("short")
            outlive(0.1)
            self_stop.lift("long")
            outlive(0.3)

    assert fork(child).wait() == 0


def test_a_moved_limit_counts_from_where_it_is_now() -> None:
    def child() -> None:
        with SelfStop() as self_stop:
            for _ in range(4):
                self_stop.limit("lease", boot_seconds() + 0.1)
                outlive(0.05)

    assert fork(child).wait() == 0


def test_leaving_disarms() -> None:
    def child() -> None:
        with SelfStop() as self_stop:
            self_stop.limit("lease", boot_seconds() + 0.05)
        outlive(0.1)

    assert fork(child).wait() == 0


def test_rule_1_a_timer_does_not_end_what_the_process_started() -> None:
    """Why a tool that starts processes needs void or a key: its child goes on."""
    reading, writing = os.pipe()

    def parent_and_child() -> None:
        with SelfStop() as self_stop:
            self_stop.limit("lease", boot_seconds() + 0.1)
            if os.fork() == 0:
                outlive(0.2)
                os.write(writing, b"it went on")
                os._exit(0)
            for_ever()

    assert fork(parent_and_child).wait() == KILLED
    assert os.read(reading, 100) == b"it went on"
    os.close(reading)
    os.close(writing)


def test_the_boot_clock_only_moves_on_and_names_its_boot() -> None:
    before = boot_seconds()
    assert boot_seconds() >= before
    assert len(boot_id()) == 36
    assert boot_id() == boot_id()


def outlive(seconds: float) -> None:
    """Be alive until the boot clock has passed by this much."""
    end = boot_seconds() + seconds
    wait_for(lambda: boot_seconds() > end, "time passes")
