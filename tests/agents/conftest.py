"""One set of demo repositories for all tests of agents; who pushes takes a copy."""

import shutil
from pathlib import Path

import pytest
from django.test import override_settings
from pytest_django import Settings

from agents import repositories

TENANT = "acme"


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("remotes")
    with override_settings(KEDGE_REMOTES=str(root)):
        repositories.prepare(TENANT)
    return root


@pytest.fixture
def remotes(seeded: Path, settings: Settings) -> Path:
    """Read only: shared with the other tests."""
    settings.KEDGE_REMOTES = str(seeded)
    return seeded


@pytest.fixture
def own_remotes(seeded: Path, tmp_path: Path, settings: Settings) -> Path:
    """A copy of its own, to be changed."""
    root = tmp_path / "remotes"
    shutil.copytree(seeded, root)
    settings.KEDGE_REMOTES = str(root)
    return root
