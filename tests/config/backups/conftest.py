"""Backups are of records that the engine's own tests make."""

from tests.engine.conftest import engine

__all__ = ["engine"]
