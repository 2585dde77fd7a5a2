"""What a database says of itself: which one it is, how far its record goes, which keys it needs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString

import psycopg

from canonical.json import Json

TABLES: Final = "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = 'public'"
SCHEMA: Final = "SELECT app, max(name) FROM django_migrations GROUP BY app ORDER BY app"
# The control file still says the old timeline for a while after a promotion: the log's name does not.
IDENTITY: Final = """
SELECT system_identifier::text, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int,
       current_setting('server_version_num')::int, current_user::text, current_database()::text
  FROM pg_control_system()
"""
INSTALLATION: Final = "SELECT installation_id::text FROM tenants_installation"
COUNTED: Final[dict[str, LiteralString]] = {
    "runs": "SELECT count(*), max(created_at) FROM checkpoints_run",
    "actions": "SELECT count(*), max(proposed_at) FROM reconciliation_action",
    "attempts": "SELECT count(*), max(dispatched_at) FROM reconciliation_attempt",
}
LAST_RUN: Final = """
SELECT id::text, task_type, created_at FROM checkpoints_run ORDER BY created_at DESC LIMIT 1
"""
LAST_ACTION: Final = """
SELECT id::text, tool, proposed_at FROM reconciliation_action ORDER BY proposed_at DESC LIMIT 1
"""
KEYS: Final = """
SELECT DISTINCT wrapped_by FROM tenants_datakey WHERE erased_at IS NULL
 UNION SELECT DISTINCT wrapped_by FROM tenants_personkey WHERE erased_at IS NULL ORDER BY 1
"""


@dataclass(frozen=True)
class Facts:
    """One record. `schema` is each app's newest migration; `latest` the newest row's time by kind.

    `last_run` and `last_action` are (id, task type or tool, time), or None where there is none.
    """

    system_identifier: str
    timeline: int
    server_version: int
    user: str
    database: str
    installation: str
    schema: dict[str, str]
    counts: dict[str, int]
    latest: dict[str, datetime | None]
    last_run: tuple[str, str, datetime] | None
    last_action: tuple[str, str, datetime] | None
    keys: list[str]

    def as_json(self) -> dict[str, Json]:
        """What a manifest keeps of it."""
        return {
            "system_identifier": self.system_identifier,
            "timeline": self.timeline,
            "server_version": self.server_version,
            "user": self.user,
            "database": self.database,
            "installation": self.installation,
            "schema": dict(self.schema),
            "counts": dict(self.counts),
            "keys_needed": list(self.keys),
        }


def is_empty(url: str) -> bool:
    """Whether the database has no table at all."""
    with psycopg.connect(url) as connection:
        return bool(_one(connection, TABLES)[0] == 0)


def of(url: str) -> Facts:
    """The facts of a database with a record, from one snapshot. Raises psycopg.Error."""
    with psycopg.connect(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        return read(connection)


def read(connection: psycopg.Connection) -> Facts:
    """The facts as this transaction sees them. Raises psycopg.Error."""
    counted = {name: _one(connection, ask) for name, ask in COUNTED.items()}
    system, timeline, version, user, database = _one(connection, IDENTITY)
    return Facts(
        system_identifier=system,
        timeline=timeline,
        server_version=version,
        user=user,
        database=database,
        installation=(connection.execute(INSTALLATION).fetchone() or ("",))[0],
        schema=dict(connection.execute(SCHEMA).fetchall()),
        counts={name: row[0] for name, row in counted.items()},
        latest={name: row[1] for name, row in counted.items()},
        last_run=connection.execute(LAST_RUN).fetchone(),
        last_action=connection.execute(LAST_ACTION).fetchone(),
        keys=[row[0] for row in connection.execute(KEYS).fetchall()],
    )


def _one(connection: psycopg.Connection, ask: LiteralString) -> tuple[Any, ...]:
    return connection.execute(ask).fetchall()[0]
