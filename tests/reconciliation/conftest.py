"""The engine and a doorbell of its own, for every test of this folder."""

from tests.doorbell import doorbell
from tests.engine.conftest import engine

__all__ = ["doorbell", "engine"]
