"""`manage.py migrate`: Django's own, one at a time per database, and never by an older release."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.utils import CursorWrapper

from tenants import tables

# Any number that no other advisory lock of ours uses.
MIGRATION_LOCK = 0x6B65_6467_0002


class Command(migrate.Command):
    """Two starts at once would both apply what is missing; the second waits and finds it done."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate while holding a lock that ends with this connection."""
        with connections[options["database"]].cursor() as cursor:
            self._lock(cursor)
            try:
                _refuse_if_newer()
                super().handle(*args, **options)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])

    def _lock(self, cursor: CursorWrapper) -> None:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [MIGRATION_LOCK])
        if cursor.fetchone() == (True,):
            return
        self.stderr.write("Another migrate is at work on this database; waiting for it to end.")
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])


def _refuse_if_newer() -> None:
    """An older release knows neither the names nor the way back. Raises CommandError."""
    found = tables.standing()
    if found.is_ == tables.NEWER:
        raise CommandError(found.sentence)
