"""One transaction in the other database, over one connection, never longer than it may take."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from agents.tools.deadline import Deadline
from agents.tools.sql.declared import ACTION, KEY, Declared, Statement
from agents.tools.wire.reach import Reach
from reconciliation.tools import Call, Json

Connection = psycopg.Connection[dict[str, Any]]

# A worker that dies or stops in a transaction must not hold its locks, nor commit afterwards.
SETTINGS = (
    "-c statement_timeout={ms} -c lock_timeout={ms} -c idle_in_transaction_session_timeout={ms}"
    " -c timezone=UTC -c datestyle=ISO -c intervalstyle=iso_8601"
    " -c default_transaction_isolation=read\\ committed -c client_connection_check_interval=1000"
)


@dataclass(frozen=True)
class Line:
    """The declared database, as one tenant reaches it until a deadline."""

    declared: Declared
    reach: Reach
    tenant: str
    deadline: Deadline

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """One connection on which every statement stands for itself.

        Raises `psycopg.Error`; `CredentialInvalid` when the environment names no database.
        """
        address = self.reach.secret(self.declared.database, self.tenant)
        left = self.deadline.left()
        connection = psycopg.connect(
            address,
            autocommit=True,
            connect_timeout=max(2, int(left)),  # libpq knows no shorter one
            options=SETTINGS.format(ms=max(1, int(left * 1000))),
            application_name="kedge",
            row_factory=dict_row,
            prepare_threshold=None,
        )
        with connection, _cut_off(connection, self.deadline):
            yield connection

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One connection, one transaction that commits at the end of the block; raises the same."""
        with self.connected() as connection, connection.transaction():
            yield connection


def run(connection: Connection, statement: str, values: Mapping[str, Json]) -> psycopg.Cursor[Any]:
    """Run one declared statement with its values."""
    return connection.execute(statement, dict(values))


def values_of(declared: Declared, parameters: Mapping[str, Json], call: Call) -> dict[str, Json]:
    """The values of all places; what is not given is NULL."""
    values: dict[str, Json] = {ACTION: call.action_id, KEY: call.key}
    for name, kind in declared.types.items():
        value = parameters.get(name)
        values[name] = Jsonb(value) if kind == "jsonb" and name in parameters else value
    return values


def wrong_count(statement: Statement, touched: int) -> str:
    """What is wrong with how many rows a statement touched; "" when nothing is."""
    if touched == statement.rows:
        return ""
    return f"a statement touched {touched} rows instead of {statement.rows}"


@contextmanager
def _cut_off(connection: Connection, deadline: Deadline) -> Iterator[None]:
    """End the connection at the deadline: the server's own time-outs end with the network."""
    timer = threading.Timer(deadline.left(), _shut, [connection])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(connection: Connection) -> None:
    with suppress(OSError, psycopg.Error), socket.socket(fileno=_own(connection)) as line:
        line.shutdown(socket.SHUT_RDWR)


def _own(connection: Connection) -> int:
    # The connection keeps its descriptor; this one is closed with the socket object.
    return socket.dup(connection.fileno())
