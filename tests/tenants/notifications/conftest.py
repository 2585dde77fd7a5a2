"""Notifications are on, and a mail server of the test's own keeps what it gets."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from pytest_django import Settings

from agents.mailsink import Sink
from tests.ports import free_port


@pytest.fixture(autouse=True)
def _on(settings: Settings) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    settings.KEDGE_URL = "https://kedge.example"
    settings.KEDGE_SMTP_PORT = 1  # nobody listens there


@pytest.fixture
def mailbox(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """The folder of a real mail server on this machine."""
    settings.KEDGE_SMTP_PORT = free_port()
    server = Controller(Sink(tmp_path), hostname="127.0.0.1", port=settings.KEDGE_SMTP_PORT)
    server.start()
    yield tmp_path / "new"
    server.stop()
