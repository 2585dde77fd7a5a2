"""The engine with careless agents."""

from collections.abc import Iterator
from io import StringIO

import pytest
from pytest_django import Settings

from checkpoints import registry
from checkpoints.models import Run
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.secrecy.registry import GIVEN
from tests.secrecy.sinks import logged

__all__ = ["engine"]


@pytest.fixture
def careless(engine: Bench, settings: Settings) -> Bench:
    """A bench whose only task type is careless."""
    settings.KEDGE_AGENTS = "tests.secrecy.registry"
    registry.agents.cache_clear()
    return engine


@pytest.fixture
def run(careless: Bench) -> Run:
    """A careless run that has not begun."""
    return careless.start("careless", **GIVEN)


@pytest.fixture(autouse=True)
def log() -> Iterator[StringIO]:
    """What is logged during the test."""
    with logged() as stream:
        yield stream
