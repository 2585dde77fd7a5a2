"""Two starts at once migrate one after the other, and an older release migrates nothing."""

from io import StringIO
from threading import Thread

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config.management.commands.migrate import MIGRATION_LOCK
from tests import ground
from tests.othertables import newer_tables

WAITING = (
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = \
(SELECT oid FROM pg_database WHERE datname = current_database())"
)


def migrate(done: list[str], said: StringIO) -> None:
    try:
        call_command("migrate", interactive=False, verbosity=0, stderr=said)
        done.append("migrated")
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_the_second_to_migrate_waits_for_the_first() -> None:
    done: list[str] = []
    said = StringIO()
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as first:
        first.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        second = Thread(target=migrate, args=[done, said])
        second.start()
        ground.wait_for(lambda: first.execute(WAITING).fetchone() == (1,), "the second waits")
        assert done == []
        assert "Another migrate is at work" in said.getvalue()
        first.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])
        second.join(60)
    assert done == ["migrated"]


@pytest.mark.django_db(transaction=True)
def test_code_that_is_older_than_the_tables_migrates_nothing() -> None:
    with newer_tables(), pytest.raises(CommandError, match="Start the release that was deployed"):
        call_command("migrate", interactive=False, verbosity=0)
