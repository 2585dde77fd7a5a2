"""The database user of the web process, as the tests have it: it owns nothing and passes no wall."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.test.client import ClientHandler
from pytest_django import DjangoDbBlocker

from config import roles

# Database users are the whole server's, so each test database has its own.
USER = "kedge_test_web" + "".join(
    os.environ.get(name, "") for name in ("KEDGE_TEST_SUFFIX", "PYTEST_XDIST_WORKER")
)


def _make() -> None:
    """Make the user, and give it what `manage.py roles` gives."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [USER])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {USER} LOGIN")
    roles.grant(USER)


def _drop() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {USER}")
        cursor.execute(f"DROP ROLE {USER}")


@pytest.fixture(scope="session")
def web_user(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The user is there with its grants, made once: no test makes or drops it by itself."""
    with django_db_blocker.unblock():
        _make()
        yield
        _drop()


@contextmanager
def as_web() -> Iterator[None]:
    """What happens inside happens as the web process' user."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {USER}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")


@contextmanager
def answering_as_web() -> Iterator[None]:
    """Test clients are answered by a process with the web user's eyes."""
    answer = ClientHandler.get_response

    def as_the_web_process(handler: ClientHandler, request: HttpRequest) -> HttpResponseBase:
        with as_web():
            return answer(handler, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ClientHandler, "get_response", as_the_web_process)
        yield
