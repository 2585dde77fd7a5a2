"""Installations of their own for the tests of the embedded servers."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from config.embedded import folders
from config.embedded.places import Places, places
from tests import ground

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends its servers an account")


@contextmanager
def installation() -> Iterator[Places]:
    """An empty installation whose folder the servers' account can enter."""
    with ground.open_folder() as folder:
        found = places(folder / "var", chosen=True, account=ground.ACCOUNT)
        folders.prepare(found)
        yield found


@pytest.fixture
def here() -> Iterator[Places]:
    """An empty installation, for one test."""
    with installation() as found:
        yield found
