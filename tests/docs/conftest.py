"""The documents are held against the engine as its own tests run it."""

from tests.engine.conftest import engine

__all__ = ["engine"]
