"""The engine, and quick cleaning up, for every test of this folder."""

from tests.emptying import delete_instead_of_flush
from tests.engine.conftest import engine

__all__ = ["delete_instead_of_flush", "engine"]
