"""A collector that is down, slow or full of complaints is no trouble of a run, nor of the next."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from opentelemetry.sdk.trace import TracerProvider

from checkpoints import traces
from checkpoints.models import Run
from config.traces import choosing
from config.traces.otel.listening import Tracing
from execution import jobs, worker
from tests.config.traces.collector import collector
from tests.engine.turns import Bench
from tests.forks import fork
from tests.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def refusing() -> Iterator[str]:
    """Nobody listens there."""
    yield f"http://127.0.0.1:{free_port()}"


@contextmanager
def silent() -> Iterator[str]:
    """Somebody takes the connection, and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def complaining() -> Iterator[str]:
    """It answers that it is too busy."""
    with collector() as received:
        received.answer = 503
        yield received.url


@pytest.mark.parametrize("away", [refusing, silent, complaining])
def test_a_run_goes_on_and_the_next_horse_does_not_wait(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, away: object
) -> None:
    engine.start(steps=3)
    port = Tracing()
    traces.use(port)
    with away() as url:  # type: ignore[operator]
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        assert fork(in_horse).wait() == 0
        assert Run.objects.filter(status="succeeded").count() == 1
        # Its parent's other horses know: they trace, and do not wait for it at their end.
        assert port._is_down()
        engine.start(steps=3)
        assert fork(in_horse_that_does_not_wait).wait() == 0
    assert Run.objects.filter(status="succeeded").count() == 2


def in_horse() -> None:
    began = time.monotonic()
    jobs.look_at("")
    # Else the exporter's own ten seconds.
    assert time.monotonic() - began < 9


def in_horse_that_does_not_wait() -> None:
    asked: list[object] = []

    def noted(self: TracerProvider) -> None:
        asked.append(self)

    TracerProvider.shutdown = noted  # type: ignore[method-assign]
    jobs.look_at("")
    assert not asked


def test_a_full_queue_drops_spans_and_holds_nothing_up(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "4")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2")
    engine.start(steps=60)
    with silent() as url:
        assert fork(traced_burst, OTEL_EXPORTER_OTLP_ENDPOINT=url).wait() == 0
    assert Run.objects.get().status == "succeeded"


def traced_burst() -> None:
    assert choosing.begin(os.environ)
    worker.work("test", burst=True)
