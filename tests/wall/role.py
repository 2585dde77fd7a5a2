"""The database user of the web process, as the tests have it: it owns nothing and passes no wall."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.test import Client

from config import roles

# Database users are the whole server's, so each test database has its own.
USER = "kedge_test_web" + "".join(
    os.environ.get(name, "") for name in ("KEDGE_TEST_SUFFIX", "PYTEST_XDIST_WORKER")
)


def make() -> None:
    """Make the user, and give it what `manage.py roles` gives."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [USER])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {USER} LOGIN")
    roles.grant(USER)


def drop() -> None:
    """Nothing of the user is left."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {USER}")
        cursor.execute(f"DROP ROLE {USER}")


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


class WebClient(Client):
    """A client whose requests are answered by a process with the web user's eyes."""

    def request(self, **request: Any) -> Any:
        """Answer one request as the web process would."""
        with as_web():
            return super().request(**request)
