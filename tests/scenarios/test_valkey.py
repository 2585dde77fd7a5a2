"""S45, S47, S51 with a Valkey of their own: killed, forgetting under pressure, set back to its past."""

import signal
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import redis
from django.db.models.functions import Now
from pytest_django import Settings

from checkpoints.models import Run
from checkpoints.wakeups import QUEUE
from config.embedded import processes, valkey
from config.embedded.places import places
from execution import sweeper, worker
from tests.chaos.servers import Valkey
from tests.engine.turns import Bench
from tests.execution.runs import waiting
from tests.forks import fork
from tests.ground import open_folder
from tests.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)

BELL = f"rq:queue:{QUEUE}"
RUNS = 4
PIECE = "x" * 4096


@pytest.fixture
def bell(settings: Settings) -> Iterator[Valkey]:
    """A server that this test may do anything to."""
    port = free_port()
    with open_folder() as folder:
        here = places(folder, chosen=True, account=None)
        here.sockets.mkdir(parents=True)
        words = processes.tied(valkey.command(here, port=port))
        server = Valkey("valkey", words, port, folder / "log")
        server.start()
        settings.REDIS_URL = server.url()
        yield server
        server.stop(signal.SIGKILL)


def killed(server: Valkey) -> None:
    server.stop(signal.SIGKILL)
    assert not server.answers()
    server.start()


def pressed(server: Valkey) -> None:
    """It may keep nothing more, and throws away what it likes until nothing is left of before."""
    with server.connect() as connection:
        connection.config_set("maxmemory-policy", "allkeys-random")
        while connection.llen(BELL):
            connection.config_set("maxmemory", int(connection.info("memory")["used_memory"]))
            for number in range(50):
                _put(connection, number)
        assert connection.info("stats")["evicted_keys"] > 0
        connection.config_set("maxmemory", 128 * 1024**2)
        connection.flushall()


def _put(connection: redis.Redis, number: int) -> None:
    try:
        connection.set(f"piece:{number}", PIECE)
    except redis.ResponseError:  # nothing is left to throw away
        return


def set_back(server: Valkey) -> None:
    """What it held is done by now; the jobs of then are there again, and none of those since."""
    with server.connect() as connection:
        kept = {key: connection.dump(key) or b"" for key in connection.keys("*")}
        assert fork(burst).wait() == 0
        connection.flushall()
        for key, content in kept.items():
            connection.restore(key, 0, content)


def burst() -> None:
    worker.work("test", burst=True)


@pytest.mark.parametrize("lose", [killed, pressed, set_back])
def test_s45_s47_s51_a_valkey_that_forgets_loses_no_run_and_wakes_none_that_waits(
    engine: Bench, bell: Valkey, lose: Callable[[Valkey], None]
) -> None:
    asked = waiting(engine)
    runs = [engine.start(steps=2) for _ in range(RUNS)]
    with bell.connect() as connection:
        assert connection.llen(BELL) >= RUNS
    lose(bell)
    Run.objects.update(woken_at=Now() - timedelta(minutes=1))
    sweeper.sweep()
    assert fork(burst).wait() == 0
    ended = Run.objects.filter(id__in=[run.id for run in runs])
    assert set(ended.values_list("status", "fence")) == {("succeeded", 1)}
    assert Run.objects.get(pk=asked.pk).status == "waiting"
