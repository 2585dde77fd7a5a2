"""What the tests of the walls start from."""

from tests.doorbell import doorbell
from tests.engine.conftest import engine

__all__ = ["doorbell", "engine"]
