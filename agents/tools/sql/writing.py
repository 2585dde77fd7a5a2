"""The effect: the action's place first, then the statements, then its receipt, in one transaction."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import jsonschema
import psycopg

from agents.tools.errors import NotConfirmed, PlaceTaken
from agents.tools.sql import database
from agents.tools.sql.database import Connection, Line
from agents.tools.sql.declared import Declared
from canonical.digests import sha256_hex
from canonical.errors import CanonicalError
from canonical.json import dumps, loads_object
from reconciliation.tools import Call, Json, Refused, Sent
from tenants.keys import hiding

# The place is taken before anything else: who comes second waits for the first to end, and then
# touches nothing. The database says back what it was given, and everything after is made of that.
TAKE = """
INSERT INTO kedge_outcomes (action_id, kind, attempt_id, key, tool)
VALUES (%(action)s, 'effect', %(attempt)s, %(key)s, %(tool)s)
ON CONFLICT DO NOTHING
RETURNING %(parameters)s::text AS heard
"""
KEEP = """
UPDATE kedge_outcomes SET receipt = %(receipt)s::jsonb
WHERE action_id = %(action)s AND kind = 'effect' AND receipt IS NULL
"""
# The database judged the rows and undid everything; no place of ours was taken before (see TAKE).
ITS_NO = (psycopg.IntegrityError, psycopg.DataError, psycopg.errors.RaiseException)


def perform(call: Call, line: Line) -> Sent:
    """One transaction. Raises `Refused`, `PlaceTaken`, `NotConfirmed`, `psycopg.Error`."""
    with line.transaction() as connection:
        heard = _take(connection, call, line.declared)
        try:
            returned = run_all(connection, line.declared, loads_object(heard), call)
            run_checks(connection)
        except ITS_NO as error:
            raise Refused(f"the database said no: {first_line(error)}") from error
        receipt = _receipt(line.declared, returned, call)
        kept = connection.execute(
            KEEP, {"receipt": receipt.decode(), "action": call.action_id}
        ).rowcount
        if kept != 1:
            raise NotConfirmed("the place of this action is gone")
    return Sent(receipt, sha256_hex(heard.encode()))


def run_all(
    connection: Connection, declared: Declared, parameters: Mapping[str, Json], call: Call
) -> dict[str, Json]:
    """Run the statements; returns what they return. Raises `Refused`, `psycopg.Error`."""
    values = database.values_of(declared, parameters, call)
    returned: dict[str, Json] = {}
    for statement in declared.statements:
        done = database.run(connection, statement.sql, values)
        wrong = database.wrong_count(statement, done.rowcount)
        if wrong:
            raise Refused(f"the database said no: {wrong}")
        if statement.returns:
            row = done.fetchone() or {}
            returned |= {name: as_json(row.get(name)) for name in statement.returns}
    return returned


def run_checks(connection: Connection) -> None:
    """Let the constraints speak now that would speak at the commit. Raises `psycopg.Error`."""
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")


def as_json(value: Any) -> Json:
    """A value of the database as JSON; what JSON cannot hold exactly is text."""
    if isinstance(value, dict):
        return {str(name): as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal | UUID | bytes | float) else value


def first_line(error: psycopg.Error) -> str:
    """What the database said, without its details."""
    said = (error.diag.message_primary or str(error)).splitlines()[0]
    return str(hiding.text(said).first(500))


def _take(connection: Connection, call: Call, declared: Declared) -> str:
    given = {
        "action": call.action_id,
        "attempt": call.attempt_id,
        "key": call.key,
        "tool": declared.name,
        "parameters": dumps(dict(call.parameters)).decode(),
    }
    row = connection.execute(TAKE, given).fetchone()
    if row is None:
        raise PlaceTaken("the place of this action is taken already")
    return str(row["heard"])


def _receipt(declared: Declared, returned: Mapping[str, Json], call: Call) -> bytes:
    try:
        for statement in declared.statements:
            for name, schema in statement.returns.items():
                jsonschema.validate(returned[name], schema)
        ids = {"action_id": call.action_id, "attempt_id": call.attempt_id, "key": call.key}
        receipt = dumps({**ids, "returned": dict(returned)})
    except (jsonschema.ValidationError, CanonicalError) as error:
        # Before the commit, so everything is undone.
        raise Refused("nothing was written: the receipt would not be what is declared") from error
    if len(receipt) > declared.largest_receipt_bytes:
        raise Refused("nothing was written: the receipt would be larger than it may be")
    return receipt
