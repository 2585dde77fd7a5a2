"""A canary of the engine's test task with runs of its candidate, and verbs to roll it back."""

import pytest

from releases.rollbacks import working
from tests.emptying import delete_instead_of_flush
from tests.engine.turns import Bench
from tests.releases.conftest import doorbell, engine, releases
from tests.releases.rollbacks.rolling import Rolling
from tests.releases.traffic import Traffic

__all__ = ["delete_instead_of_flush", "doorbell", "engine", "releases"]


@pytest.fixture(autouse=True)
def at_once() -> None:
    for pace in (working._looks, working._pace):
        pace.forget()


@pytest.fixture
def rolling(engine: Bench, releases: Traffic) -> Rolling:
    return Rolling(engine, releases)
