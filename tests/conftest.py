"""Ends what the session started. What all tests share stands in tests/ground.py and tests/people.py."""

import pytest
from django.conf import settings

# The audit trail refuses TRUNCATE, which Django's own flush is made of.
from tests.emptying import delete_instead_of_flush

__all__ = ["delete_instead_of_flush", "pytest_unconfigure"]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers that this process started, if any."""
    started = getattr(settings, "GROUND", None)
    if started is not None:
        started.stop()
