"""A doorbell of the tests' own: what they ring, no worker of this machine hears."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import override_settings
from redis import Redis

# Others of this suite have Valkey databases from 10 on for themselves.
NUMBERS = range(1, 10)


@pytest.fixture(autouse=True)
def doorbell() -> Iterator[Redis]:
    """An empty Valkey database that wake-ups go to."""
    number, _ = _own_number()
    address = _url(settings.REDIS_URL, number)
    with override_settings(REDIS_URL=address), Redis.from_url(address) as connection:
        connection.flushdb()
        yield connection


@cache
def _own_number() -> tuple[int, IO[str]]:
    """A database for this process alone, and the lock that says so until it ends.

    Workers of xdist share one Valkey, and so may several sessions: one must not flush another's.
    """
    for number in NUMBERS:
        path = Path(tempfile.gettempdir()) / f"kedge-tests-{os.getuid()}-doorbell-{number}.lock"
        lock = path.open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
        else:
            return number, lock
    raise AssertionError(f"more than {len(NUMBERS)} test processes ring at once")


def _url(url: str, number: int) -> str:
    """The same server, another database: a socket's path stays, and the query names it."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return parts._replace(query=f"db={number}").geturl()
    return parts._replace(path=f"/{number}").geturl()
