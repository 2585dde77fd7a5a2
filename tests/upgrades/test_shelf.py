"""Every release has its stored database, and its migrations are what they were when it was stored."""

import pytest

from tests.upgrades import shelf

ANEW = "python -m tests.upgrades make"


@pytest.mark.parametrize("version", shelf.releases())
def test_every_release_has_a_stored_database(version: str) -> None:
    stored = shelf.of(version)
    assert stored.dump.exists(), f"No database of {version} is stored: {ANEW} {version}"
    assert stored.facts.version == version


def test_the_current_version_is_among_the_releases() -> None:
    assert shelf.current() in shelf.releases()


@pytest.mark.parametrize("version", shelf.releases())
def test_a_stored_migration_is_never_changed_afterwards(version: str) -> None:
    """A database in which it ran would never get the change: it needs a migration of its own."""
    today = shelf.migrations()
    changed = [
        name
        for name, digest in shelf.of(version).facts.migrations.items()
        if today.get(name) != digest
    ]
    assert changed == [], (
        "These ran in stored databases: leave them as they were and write a new migration."
        f" Only while {version} is not released: {ANEW} {version}"
    )
