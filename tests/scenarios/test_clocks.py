"""S80, S128: workers and sweepers whose clocks are wrong take part, and nothing depends on their clocks."""

import os
import signal
import subprocess
from itertools import pairwise
from uuid import uuid4

import pytest
from pytest_django import Settings

from checkpoints import reading
from checkpoints.models import Case, Checkpoint, Recovery
from execution import horse, sweeper
from reconciliation.models import Attempt
from tenants import clock
from tests.chaos.instruments import clocks, turns
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import full, head, waiting
from tests.forks import state_of
from tests.ground import wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(bool(clocks.why_not()), reason=clocks.why_not()),
]

HOUR = 3600
BACK, AHEAD = "-1h x0.99", "+1h x1.01"
# The absorb of an effect: it has happened, its receipt is kept, the lease is held.
STANDING, SWEEPING = "commit:before@1", "sweep lapse unlocked:before@1"


def standing(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    """It has come to where it stands still."""
    wait_for(lambda: state_of(process.pid) == "T", "it stands still at its boundary", seconds=120)
    return process


@pytest.mark.parametrize(
    ("mine", "sweeping"), [(AHEAD, BACK), pytest.param(BACK, AHEAD, marks=pytest.mark.slow)]
)
def test_s80_s128_wrong_clocks_take_no_lease_early_and_order_nothing(
    engine: Bench, settings: Settings, mine: str, sweeping: str
) -> None:
    settings.KEDGE_LEASE_SECONDS = 60
    others = turns.begun("sweep", **clocks.wrong(sweeping), KEDGE_STOP_AT=SWEEPING)
    run = waiting(engine, "fake.look_up")  # by a worker whose clock is right
    engine.decide(run)
    process = standing(turns.begun("turns", **clocks.wrong(mine), KEDGE_STOP_AT=STANDING))
    held = full(run)
    assert held.lease_until is not None
    assert 0 < (held.lease_until - clock.now()).total_seconds() <= 60
    (attempt,) = Attempt.objects.all()
    assert round((attempt.deadline_at - attempt.dispatched_at).total_seconds()) == 2
    # Neither a sweeper that is right nor one that is wrong the other way takes it away.
    os.kill(standing(others).pid, signal.SIGCONT)
    other = turns.said(others)
    done = sweeper.sweep()
    assert {name: other[name] for name in other if name.startswith("lapse")} == {
        "lapse unlocked": 0,
        "lapse overdue": 0,
    }
    assert done["lapse unlocked"] == done["lapse overdue"] == 0
    os.kill(process.pid, signal.SIGCONT)
    ended = turns.said(process)
    assert abs(abs(ended["ahead"]) - HOUR) < HOUR / 10
    assert abs(abs(other["ahead"]) - HOUR) < HOUR / 10
    # What was committed last is the newest, and says so by the one clock.
    after = full(run)
    assert (after.status, after.fence, ended["taken"]) == ("succeeded", held.fence, 1)
    assert head(run)["heard"] == [["happened", ""]]
    written = Checkpoint.objects.filter(run_id=run.id).order_by("seq").values_list("at", flat=True)
    assert all(earlier <= later for earlier, later in pairwise(written))
    assert (after.head, reading.verify_run(after), len(effects())) == (len(written), [], 1)
    assert not Recovery.objects.exists()
    assert not Case.objects.exists()


def test_a_worker_with_no_clock_in_common_with_anybody_repeats_no_effect(
    engine: Bench, settings: Settings
) -> None:
    """Its monotonic clock is wrong too, so it can neither renew nor stop itself."""
    run = waiting(engine, "fake.void")
    engine.decide(run)
    settings.KEDGE_LEASE_SECONDS = 2
    wrong = clocks.wrong("+1h", whole=True)
    process = standing(turns.begun("turns", **wrong, KEDGE_STOP_AT="dispatch:after@1"))
    wait_for(lambda: sweeper.sweep()["lapse overdue"] == 1, "its lease ran out")
    assert horse.take_turns(uuid4()) == 1
    os.kill(process.pid, signal.SIGCONT)
    process.communicate(timeout=180)
    assert full(run).status == "succeeded"
    assert (len(effects()), reading.verify_run(full(run))) == (1, [])
    assert not Case.objects.exists()
