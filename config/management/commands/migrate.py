"""`manage.py migrate`: Django's own, one at a time per database."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

# Any number that no other advisory lock of ours uses.
MIGRATION_LOCK = 0x6B65_6467_0002


class Command(migrate.Command):
    """Two starts at once would both apply what is missing; the second waits and finds it done."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate while holding a lock that ends with this connection."""
        with connections[options["database"]].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
            try:
                super().handle(*args, **options)
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])
