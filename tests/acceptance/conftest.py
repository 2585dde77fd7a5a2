"""The engine and its doorbell, for what is counted of real rows."""

from tests.doorbell import doorbell
from tests.engine.conftest import engine

__all__ = ["doorbell", "engine"]
