"""The engine, a doorbell of its own, and a tenant with people who manage its releases."""

import pytest

from tests.doorbell import doorbell
from tests.emptying import delete_instead_of_flush
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.releases.traffic import Traffic, traffic

__all__ = ["delete_instead_of_flush", "doorbell", "engine"]


@pytest.fixture
def releases(engine: Bench) -> Traffic:
    return traffic(engine)
