"""Tables of another release than the code's, for as long as a test asks."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

OF_THE_NEXT = ("checkpoints", "9999_of_the_next_release")


@contextmanager
def newer_tables() -> Iterator[None]:
    """A migration was applied that this code knows nothing of."""
    _run("INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())", *OF_THE_NEXT)
    try:
        yield
    finally:
        _run("DELETE FROM django_migrations WHERE app = %s AND name = %s", *OF_THE_NEXT)


@contextmanager
def older_tables() -> Iterator[None]:
    """A migration of this code was not applied."""
    name = "0001_record"
    _run("DELETE FROM django_migrations WHERE app = 'checkpoints' AND name = %s", name)
    try:
        yield
    finally:
        _run(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('checkpoints', %s, now())",
            name,
        )


def _run(statement: str, *values: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
