"""The engine, and a queue of their own, for tests of traces; afterwards nobody listens any more."""

from collections.abc import Iterator

import pytest

from checkpoints import traces
from tests.doorbell import doorbell
from tests.engine.conftest import engine

__all__ = ["doorbell", "engine"]


@pytest.fixture(autouse=True)
def unheard() -> Iterator[None]:
    """Each test begins and ends as an installation without traces."""
    before = traces.port
    yield
    traces.use(before)
