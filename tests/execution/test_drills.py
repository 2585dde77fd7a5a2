"""The worker of a drill really dies, once, and its combo comes back: counted before any canary."""

import os
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from checkpoints.models import Event, Recovery, Run
from checkpoints.registry import combo_of
from execution import drills, worker
from releases.numbers import recoveries, runs, subjects
from releases.numbers.subjects import Subject, arms
from tests.engine.turns import Bench
from tests.execution.runs import full
from tests.forks import fork
from tests.releases.shadows.beside import Stage, stage

SINCE = timedelta(minutes=5)


def burst() -> None:
    worker.work("test", burst=True)


def candidates(made: Stage) -> subjects.ArmOf:
    """The candidate's arm while its release is a shadow."""
    stable = combo_of("odd")
    since = timezone.now() - SINCE
    subject = Subject(made.bench.tenant, "odd", made.candidate, stable, since, mode="shadow")
    return arms(subject)[0]


@pytest.mark.django_db(transaction=True)
def test_a_drill_kills_its_worker_once_and_the_twin_comes_back(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    Run.objects.filter(pk=live.pk).update(due_at=None)
    twin = made.begun(live, dies_at=1)
    assert fork(burst).wait() == 0
    twin = full(twin)
    assert (twin.status, twin.reason, twin.fence) == ("waiting", "for_same_key", 2)
    recovery = Recovery.objects.get()
    assert recovery.why == "its worker was killed by signal 9"
    assert (recovery.run_id, recovery.ended) == (twin.pk, "recovered")
    [struck] = Event.objects.filter(what=drills.STRUCK)
    assert struck.detail == {"head": 1}
    found = recoveries.count(candidates(made))
    assert (found.recovered.hits, found.recovered.of, len(found.spells)) == (1, 1, 1)
    assert runs.count(candidates(made)).assigned == 1


@pytest.mark.django_db
def test_no_process_but_a_horse_dies_and_none_over_a_live_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Put back as it was: this process is no horse, and must not die for a drill of another test.
    monkeypatch.setattr(drills, "_horse", 0)
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, _signal: killed.append(pid))
    made = stage(engine, monkeypatch)
    live = made.live()
    twin = made.begun(live, dies_at=1)
    drills.strike(twin, 5)
    drills.in_horse()
    drills.strike(full(live), 5)
    drills.strike(made.begun(live, series=uuid4()), 5)
    assert killed == []
    drills.strike(twin, 0)
    assert killed == []
    drills.strike(twin, 1)
    assert killed == [os.getpid()]
    drills.strike(twin, 2)
    assert len(killed) == 1
