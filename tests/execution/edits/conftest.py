"""A run of older code, as the tests of migrating have it."""

from tests.execution.test_executor_migrating import old

__all__ = ["old"]
