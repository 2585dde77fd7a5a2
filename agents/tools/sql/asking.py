"""Finding the outcome row of an action, and taking its place with a tombstone."""

from typing import Any

import psycopg

from agents.tools.sql.database import Line
from canonical.json import dumps
from reconciliation.tools import Absent, Call, CredentialInvalid, Found, Unanswered, Voided

OUTCOME = "SELECT kind, key, receipt FROM kedge_outcomes WHERE action_id = %(action)s"
# An effect that has taken the place and not yet ended is waited for: then it is there, or gone.
TOMBSTONE = """
INSERT INTO kedge_outcomes (action_id, kind, attempt_id, key, tool)
VALUES (%(action)s, 'void', %(attempt)s, %(key)s, %(tool)s)
ON CONFLICT DO NOTHING
"""


def look_up(call: Call, line: Line) -> Found | Absent:
    """Whether the transaction of this action was committed. Raises `Unanswered`."""
    return _judged(_read(call, line, takes_place=False), call)


def void(call: Call, line: Line) -> Voided | Found:
    """Take the place of this action, unless an attempt holds it. Raises `Unanswered`."""
    found = _judged(_read(call, line, takes_place=True), call)
    if isinstance(found, Found):
        return found
    if not found.voided:
        raise Unanswered("the place of this action was not taken")
    return Voided(dumps({"action_id": call.action_id, "key": call.key, "tool": line.declared.name}))


def _read(call: Call, line: Line, *, takes_place: bool) -> dict[str, Any] | None:
    given = {
        "action": call.action_id,
        "attempt": call.attempt_id,
        "key": call.key,
        "tool": line.declared.name,
    }
    try:
        with line.connected() as connection:
            if takes_place:
                connection.execute(TOMBSTONE, given)
            return connection.execute(OUTCOME, given).fetchone()
    except (psycopg.Error, OSError, CredentialInvalid) as error:
        raise Unanswered(f"the database did not answer: {error}") from error


def _judged(row: dict[str, Any] | None, call: Call) -> Found | Absent:
    if row is None:
        return Absent()
    if row["key"] != call.key:
        raise Unanswered("the place of this action is taken by something that is not ours")
    return Absent(voided=True) if row["kind"] == "void" else Found(dumps(row["receipt"]))
