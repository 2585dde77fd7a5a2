"""The engine, a doorbell of its own, and quick cleaning up, for every test of this folder."""

from tests.doorbell import doorbell
from tests.emptying import delete_instead_of_flush
from tests.engine.conftest import engine

__all__ = ["delete_instead_of_flush", "doorbell", "engine"]
