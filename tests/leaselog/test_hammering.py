"""S129 to S131: many processes at the same runs, standing still in between; no two leases overlap.

`make leases` does it for a minute, with another seed each time.
"""

import os
import random
from pathlib import Path

import pytest
from pytest_django import Settings

from checkpoints.models import Checkpoint, Run
from tests.engine.turns import Bench
from tests.leaselog.hammering import LEASE_SECONDS, hammer
from tests.leaselog.log import Line, counted, faults

pytestmark = pytest.mark.django_db(transaction=True)

SHORT, LONG = 3, 60
RUNS, WORKERS = 2, 4
ENOUGH = ("acquire accepted", "commit accepted", "commit refused")
TRIES = 8


def hammered(engine: Bench, folder: Path, *, seconds: float, seed: int) -> list[Line]:
    folder.mkdir(exist_ok=True)
    for _ in range(RUNS):
        engine.start()
    log = hammer(folder, workers=WORKERS, seconds=seconds, seed=seed)
    print(f"seed {seed}, {seconds} s: {counted(log)}")
    return log


def as_the_record_says(log: list[Line]) -> None:
    """What the log says was committed is what stands there, in the order of the fences."""
    for run in Run.objects.all():
        written = [
            line for line in log if (line.run, line.op, line.ok) == (str(run.pk), "commit", True)
        ]
        fences = list(
            Checkpoint.objects.filter(run_id=run.pk).order_by("seq").values_list("fence", flat=True)
        )
        assert run.head == len(written) == len(fences)
        assert fences == sorted(line.fence for line in written)


def test_s129_s131_of_workers_that_stand_still_no_two_hold_a_run_at_once(
    engine: Bench, tmp_path: Path, settings: Settings
) -> None:
    settings.KEDGE_LEASE_SECONDS = LEASE_SECONDS
    log: list[Line] = []
    for seed in range(TRIES):  # a busy machine gets less done in the time
        log += hammered(engine, tmp_path / str(seed), seconds=SHORT, seed=seed)
        if all(counted(log).get(what) for what in ENOUGH):
            break
    assert faults(log) == []
    as_the_record_says(log)
    assert [what for what in ENOUGH if what not in counted(log)] == []


@pytest.mark.slow
def test_nor_in_a_minute_of_it(engine: Bench, tmp_path: Path, settings: Settings) -> None:
    settings.KEDGE_LEASE_SECONDS = LEASE_SECONDS
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    log = hammered(engine, tmp_path, seconds=LONG, seed=seed)
    assert faults(log) == [], f"seed {seed}"
    as_the_record_says(log)
