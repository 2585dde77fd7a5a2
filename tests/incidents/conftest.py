"""What the tests of incidents stand on: the engine as its own tests run it."""

from tests.engine.conftest import engine

__all__ = ["engine"]
