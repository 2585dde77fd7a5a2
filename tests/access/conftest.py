"""Two whole tenants for all tests of this folder: made once, only read, and gone afterwards."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as project
from django.test import override_settings
from pytest_django import DjangoDbBlocker, Settings

from checkpoints import registry
from config.demo import people
from tenants import chain
from tests.access import world
from tests.access.asking import as_manager
from tests.access.routes import routes
from tests.access.world import World
from tests.doorbell import doorbell
from tests.emptying import empty
from tests.tenants.codes import give_app

__all__ = ["doorbell"]


@pytest.fixture(scope="package")
def worlds(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[World, World]]:
    """The demo's first tenant, and a foreign one with the same of everything."""
    folder = tmp_path_factory.mktemp("access")
    with (
        django_db_blocker.unblock(),
        override_settings(**_settings(folder)),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("KEDGE_FAKE_WORLD", str(folder))
        registry.agents.cache_clear()
        try:
            first, second = world.make(people.HARBOUR, folder), world.make("elsewhere", folder)
            give_app(first.people["manager"])
            yield first, second
        finally:
            registry.agents.cache_clear()
            empty()


@pytest.fixture(scope="package")
def taken(worlds: tuple[World, World]) -> dict[str, bytes]:
    """The evidence that the first tenant's owner takes along, of a run and of an action.

    Made here, because it is read in a transaction of its own.
    """
    chain.seal()
    asking, names = as_manager(worlds[0]), worlds[0].names
    found = [route for route in routes() if route.name.endswith("_evidence")]
    return {each.name: asking.post(each.address(names)).content for each in found}


@pytest.fixture
def home(worlds: tuple[World, World], db: None) -> World:
    """The tenant that the tests ask for, in a transaction that is rolled back."""
    return worlds[0]


@pytest.fixture
def elsewhere(worlds: tuple[World, World], db: None) -> World:
    """The foreign tenant."""
    return worlds[1]


@pytest.fixture(autouse=True)
def _own_attempts(settings: Settings) -> None:
    settings.CACHES = {"default": {**project.CACHES["default"], "KEY_PREFIX": uuid.uuid4().hex}}


def _settings(folder: Path) -> dict[str, object]:
    return {
        "ROOT_URLCONF": "config.urls",
        "KEDGE_AGENTS": "tests.secrecy.registry",
        "KEDGE_DEMO": True,
        "KEDGE_JOURNAL_DIR": folder / "journal",
        "KEDGE_REMOTES": str(folder / "remotes"),
        "VAR_DIR": folder,
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    }
