"""The engine, cleaning up, and plans to look at, for every test of this folder."""

from tests.execution.conftest import delete_instead_of_flush, doorbell, engine

__all__ = ["delete_instead_of_flush", "doorbell", "engine"]
