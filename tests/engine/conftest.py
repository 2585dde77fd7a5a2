"""The engine under test: its own agents, a world in a temporary folder, one turn at a time."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import Settings

from checkpoints import registry
from tests.engine.turns import Bench
from tests.people import ada, dee, make_tenant


@pytest.fixture
def engine(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None
) -> Iterator[Bench]:
    """A tenant with Ada and Dee, and verbs to start, advance and approve."""
    settings.KEDGE_AGENTS = "tests.engine.registry"
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"
    monkeypatch.setenv("KEDGE_FAKE_WORLD", str(tmp_path / "world"))
    registry.agents.cache_clear()
    tenant = make_tenant(f"t{uuid4().hex[:8]}")
    yield Bench(tenant=tenant, starter=ada(tenant), approver=dee(tenant), world=tmp_path / "world")
    registry.agents.cache_clear()
