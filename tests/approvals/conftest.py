"""The engine, for tests that need a run which really asks."""

from tests.engine.conftest import engine

__all__ = ["engine"]
