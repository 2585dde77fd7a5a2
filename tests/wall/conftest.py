"""The web process' database user, made once for all tests of this folder."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.doorbell import doorbell
from tests.engine.conftest import engine
from tests.wall import role

__all__ = ["doorbell", "engine"]


@pytest.fixture(scope="session")
def web_user(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The user is there, with its grants."""
    with django_db_blocker.unblock():
        role.make()
        yield
        role.drop()
