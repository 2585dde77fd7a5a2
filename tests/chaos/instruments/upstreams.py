"""Where the servers of this test session are, for a proxy before them, and how a child goes through it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from tests.chaos.instruments import lines
from tests.chaos.instruments.lines import Line


def parameters(**more: object) -> dict[str, Any]:
    """What `psycopg.connect` needs for Django's own PostgreSQL, apart from Django."""
    given = {**connection.get_connection_params(), **more}
    for own in ("cursor_factory", "context", "prepare_threshold"):
        given.pop(own, None)
    return given


def of_postgres() -> str:
    """The place of Django's own PostgreSQL: "host:port", or the path of its socket."""
    given = connection.get_connection_params()
    host, port = str(given.get("host") or "127.0.0.1"), given.get("port") or 5432
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else f"{host}:{port}"


def of_valkey() -> str:
    """The place of this session's Valkey."""
    parts = urlsplit(settings.REDIS_URL)
    return parts.path if parts.scheme == "unix" else f"{parts.hostname}:{parts.port}"


def go_through(line: Line) -> None:
    """In a child: from now on Django's connections lead through this line. None may be open."""
    connection.settings_dict.update(HOST=line.host, PORT=str(line.port))


@contextmanager
def before_postgres() -> Iterator[Line]:
    """A line before Django's own PostgreSQL."""
    with lines.opened(of_postgres()) as line:
        yield line
