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
    url = urlsplit(settings.REDIS_URL)._replace(path=f"/{DATABASE}").geturl()
    with override_settings(REDIS_URL=url), Redis.from_url(url) as connection:
        connection.flushdb()
        yield connection
