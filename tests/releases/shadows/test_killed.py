"""A sweeper that is killed as it starts a twin: the next one starts it, or finds it there, once."""

import signal

import pytest

from checkpoints.models import Run, Twin
from releases.shadows import starting
from tests.engine.turns import Bench
from tests.forks import fork
from tests.releases.shadows.beside import released, stage
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(("at", "left"), [("twin:before@1", 0), ("twin:after@1", 1)])
def test_killed_at_its_start_there_is_one_twin_in_the_end(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, releases: Traffic, at: str, left: int
) -> None:
    made = stage(engine, monkeypatch)
    released(releases, made)
    live = made.live()
    assert fork(starting.start_due, KEDGE_KILL_AT=at).wait() == -signal.SIGKILL
    assert Twin.objects.count() == Run.objects.filter(mode="shadow").count() == left
    starting.start_due()
    assert Twin.objects.get().twin_of == live
    assert Run.objects.filter(mode="shadow").count() == 1
