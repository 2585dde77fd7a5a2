"""The engine, and a queue of their own, for tests that scrape."""

from tests.doorbell import doorbell
from tests.engine.conftest import engine

__all__ = ["doorbell", "engine"]
