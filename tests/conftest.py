"""Ends what the session started. What all tests share stands in tests/ground.py and tests/people.py."""

import shutil

import hypothesis
import pytest
from django.conf import settings

# The audit trail refuses TRUNCATE, which Django's own flush is made of.
from tests.emptying import delete_instead_of_flush
from tests.servers import running
from tests.wall.role import web_user

# The gate judges what was changed, so it tries the same examples each time. To look for new ones:
# `pytest --hypothesis-profile=searching`; what they find becomes a test of its own.
# No deadline: a busy machine is no fault of the code.
PATIENT = hypothesis.settings(
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("gate", PATIENT, derandomize=True)
hypothesis.settings.register_profile("searching", PATIENT, max_examples=1000)
hypothesis.settings.load_profile("gate")

__all__ = ["delete_instead_of_flush", "pytest_terminal_summary", "pytest_unconfigure", "web_user"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many states of the protocol's model were walked through, and in what time."""
    walks = [dict(each.user_properties) for each in terminalreporter.stats.get("passed", [])]
    walks = [each for each in walks if "model_states" in each]
    if walks:
        states = sum(each["model_states"] for each in walks)
        seconds = sum(each["model_seconds"] for each in walks)
        terminalreporter.write_line(
            f"model: {states} states in {len(walks)} walks, {seconds:.0f} s"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers that this process started, if any, and take its journal away."""
    running.stop()
    journal = getattr(settings, "JOURNAL", None)
    if journal is not None:
        shutil.rmtree(journal, ignore_errors=True)
    started = getattr(settings, "GROUND", None)
    if started is not None:
        started.stop()
