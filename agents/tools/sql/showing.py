"""The dry run: the statements in a transaction that is rolled back, and the rows before and after."""

from collections.abc import Mapping

import psycopg

from agents.tools.errors import BadProposal
from agents.tools.sql import database, writing
from agents.tools.sql.database import Connection, Line
from canonical.digests import sha256_hex
from canonical.json import dumps
from reconciliation.tools import Call, DryRun, Json, Refused, Unanswered

MOST_ROWS = 200
ITS_ABSENCE = (psycopg.OperationalError, psycopg.InterfaceError, OSError)

Rows = dict[str, list[dict[str, Json]]]


def dry_run(call: Call, line: Line) -> DryRun:
    """Raises `Unanswered`, `CredentialInvalid`, `BadProposal`."""
    try:
        before, after = _both(call, line)
    except ITS_ABSENCE as error:
        raise Unanswered(f"the database did not answer: {error}") from error
    except (Refused, psycopg.Error) as error:
        said = writing.first_line(error) if isinstance(error, psycopg.Error) else str(error)
        raise BadProposal(said) from error
    return DryRun(
        diff=dumps({"before": before, "after": after}),
        media="application/json",
        resources={name: _version(rows) for name, rows in before.items()},
        summary=tuple(
            _change(name, before[name], rows)
            for name, rows in after.items()
            if rows != before[name]
        ),
    )


def _both(call: Call, line: Line) -> tuple[Rows, Rows]:
    declared = line.declared
    values = database.values_of(declared, call.parameters, call)
    with line.connected() as connection, connection.transaction(force_rollback=True):
        before = _rows(connection, declared.shows, values)
        writing.run_all(connection, declared, call.parameters, call)
        writing.run_checks(connection)
        after = _rows(connection, declared.shows, values)
    return before, after


def _rows(connection: Connection, shows: Mapping[str, str], values: Mapping[str, Json]) -> Rows:
    found: Rows = {}
    for name, query in shows.items():
        rows = database.run(connection, query, values).fetchmany(MOST_ROWS + 1)
        if len(rows) > MOST_ROWS:
            raise Refused(f"{name} has more than {MOST_ROWS} rows: nobody could judge them")
        found[name] = [writing.as_json(row) for row in rows]
    return found


def _change(name: str, before: list[dict[str, Json]], after: list[dict[str, Json]]) -> str:
    if len(before) != len(after):
        return f"{name}: {len(before)} → {len(after)}"
    changed = sum(was != now for was, now in zip(before, after, strict=True))
    return f"{name}: {changed} of {len(after)} changed"


def _version(rows: list[dict[str, Json]]) -> str:
    return sha256_hex(dumps(rows)) if rows else ""
