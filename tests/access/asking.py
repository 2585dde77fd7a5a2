"""Asking every route in every way, and what of the database changed meanwhile."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.test import Client

from tests.access.table import ANONYMOUS, FOREIGN, STRANGER
from tests.access.world import World, person, session

# Written by every refusal, and by every visit.
WRITTEN_BY_REFUSALS: Final = (
    "tenants_auditrow",
    "tenants_auditunsealed",
    "tenants_refusalcount",
    "django_session",
)
CLOCK: Final = re.compile(rb"<time [^>]*>[^<]*</time>")
SECRET: Final = re.compile(rb'(csrfmiddlewaretoken" value="|csrf-token" content=")[^"]+')
STAMPS: Final = """
SELECT '{0}', md5(string_agg(ctid::text || ' ' || xmin::text, ',' ORDER BY ctid)) FROM "{0}"
"""


def clients(home: World, elsewhere: World) -> dict[str, Client]:
    """A client for each persona: nobody, a stranger, the owner of another tenant, and the people of
    this one."""
    return {
        ANONYMOUS: Client(raise_request_exception=False),
        STRANGER: with_cookie(session(person("nowhere", "stranger"))),
        FOREIGN: as_manager(elsewhere),
        **{name: with_cookie(cookie) for name, cookie in home.sessions.items()},
    }


def as_manager(world: World) -> Client:
    """A client of the person who may do everything at this tenant."""
    return with_cookie(world.sessions["manager"])


def with_cookie(cookie: str, *, strict: bool = False) -> Client:
    """A client with this session, that is told of a fault of ours as a person is."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=strict)
    client.cookies[settings.SESSION_COOKIE_NAME] = cookie
    return client


def told(answer: Any) -> bytes:
    """The body of an answer, the secret of its forms and all times taken out."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return CLOCK.sub(b"", SECRET.sub(rb"\1", body))


def rows(leave_out: tuple[str, ...] = WRITTEN_BY_REFUSALS) -> dict[str, str]:
    """For each table, where its rows lie and which transaction wrote each, as one digest."""
    with connection.cursor() as cursor:
        tables = sorted({*connection.introspection.table_names(cursor)} - {*leave_out})
        cursor.execute(" UNION ALL ".join(STAMPS.format(table) for table in tables))
        return dict(cursor.fetchall())


@contextmanager
def nothing_changes(leave_out: tuple[str, ...] = WRITTEN_BY_REFUSALS) -> Iterator[None]:
    """What happens inside changes no row of any table but those left out."""
    before = rows(leave_out)
    yield
    after = rows(leave_out)
    changed = [table for table in before if before[table] != after[table]]
    assert not changed, changed
