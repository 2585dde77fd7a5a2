"""A doorbell of the tests' own: what they ring, no worker of this machine hears."""

import zlib
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import override_settings
from redis import Redis

# Sessions that share one Valkey have databases of different names, and mostly different bells.
DATABASE = 1 + zlib.crc32(settings.TEST_DATABASE.encode()) % 14


@pytest.fixture(autouse=True)
def doorbell() -> Iterator[Redis]:
    """An empty Valkey database that wake-ups go to."""
    with_database = _url(settings.REDIS_URL)
    with override_settings(REDIS_URL=with_database), Redis.from_url(with_database) as connection:
        connection.flushdb()
        yield connection


def _url(url: str) -> str:
    """The same server, another database: a socket's path stays, and the query names it."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return parts._replace(query=f"db={DATABASE}").geturl()
    return parts._replace(path=f"/{DATABASE}").geturl()
