"""The hot statements' way to PostgreSQL: prepared, bound on the server, without the ORM.

Django's default cursor binds in the client and never prepares: about twice the time of a
commit (measured). Everything else goes through the ORM.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model
from django.db.transaction import TransactionManagementError

from tenants import pipelines
from tenants.pipelines import COMMIT, Rows, Statement

__all__ = [
    "Answer",
    "Rows",
    "Statement",
    "execute",
    "lacks_room",
    "models",
    "rows",
    "send",
    "together",
    "whole",
]

M = TypeVar("M", bound=Model)

DISK_FULL = "53100"  # PostgreSQL, Appendix A


def execute(statement: str, values: Mapping[str, Any]) -> Rows:
    """Run one prepared statement on Django's connection; returns its rows.

    Outside a transaction it is one by itself. Raises Django's database errors.
    """
    return together([(statement, values)])[0]


def together(statements: Sequence[Statement], *, last: bool = False) -> list[Rows]:
    """Run several prepared statements in one round trip; returns the rows of each.

    PostgreSQL takes one after the other and looks at the data anew for each: what reads after a
    lock sees what was committed while the lock was waited for. Outside a transaction they are one
    by themselves. With `last` the transaction is committed in the same round trip: what may still
    say no has to say it in a statement. Raises the first failure, as a Django database error;
    nothing after it was run.
    """
    own = connections[DEFAULT_DB_ALIAS]
    own.ensure_connection()
    # In a transaction around this one it is not ours to say. Django's own COMMIT follows in any
    # case, and finds nothing left to commit.
    ends = last and own.in_atomic_block and not own.savepoint_ids
    with own.wrap_database_errors:
        found = pipelines.run(own.connection, [*statements, COMMIT] if ends else statements)
    return found[: len(statements)]


def send(statement: str, values: Mapping[str, Any]) -> "Answer":
    """Send a prepared statement and go on; the answer is waited for where its rows are asked for.

    Several may be on their way, each behind those sent before; whatever else is asked for waits for
    their answers first, and the driver's own cursors are refused. So in a transaction, of which
    others know nothing, it is waited for here. PostgreSQL tells the types of values by where they stand, so
    say them (`::bigint`).
    """
    own = connections[DEFAULT_DB_ALIAS]
    if own.in_atomic_block:
        found = execute(statement, values)
        return Answer(lambda: found)
    own.ensure_connection()
    with own.wrap_database_errors:
        sent = pipelines.Exchange(own.connection, [(statement, values)], typed=False, behind=True)

    def heard() -> Rows:
        with own.wrap_database_errors:
            return sent.rows()[0]

    return Answer(heard)


class Answer:
    """What PostgreSQL answers to `send`. Asked again, it says the same again."""

    def __init__(self, hear: Callable[[], Rows]) -> None:
        self._hear = hear

    def rows(self) -> Rows:
        """The rows, once they are here. Raises Django's database errors."""
        try:
            heard = self._hear()
        except Exception as error:
            self._hear = _raising(error)
            raise
        self._hear = lambda: heard
        return heard


def lacks_room(error: BaseException) -> bool:
    """Whether it is PostgreSQL's disk that has no room: it would have refused anybody."""
    return getattr(error.__cause__, "sqlstate", "") == DISK_FULL


def rows(model: type[M], tail: str, values: Mapping[str, Any]) -> list[M]:
    """Rows of a model, whole, by one prepared statement: `tail` is all after FROM and its table.

    What the ORM compiles anew for each query costs several times the query. Raises
    `TransactionManagementError` for a lock that would end with its statement.
    """
    if tail.endswith("FOR UPDATE") and not connection.in_atomic_block:
        raise TransactionManagementError(f"{model.__name__}: a lock needs a transaction around it")
    return models(model, tail, execute(whole(model, tail), values))


def whole(model: type[Model], tail: str) -> str:
    """The statement of `rows`, for `together`; `models` makes rows of its answer."""
    return _select(model, tail)[0]


def models(model: type[M], tail: str, found: Rows) -> list[M]:
    """Rows of a model from the answer to `whole(model, tail)`."""
    _, names, read = _select(model, tail)
    return [
        model.from_db(
            connection.alias,
            names,
            [
                value if convert is None else convert(value)
                for convert, value in zip(read, row, strict=True)
            ],
        )
        for row in found
    ]


@cache
def _select(
    model: type[Model], tail: str
) -> tuple[str, list[str], list[Callable[[Any], Any] | None]]:
    """The statement, the names of its columns, and what reads each of them, None for as it is."""
    quote = connection.ops.quote_name
    fields = model._meta.concrete_fields
    columns = ", ".join(quote(str(field.column)) for field in fields)
    statement = f"SELECT {columns} FROM {quote(model._meta.db_table)} {tail}"  # noqa: S608 - names of ours
    return statement, [field.attname for field in fields], [_reader(field) for field in fields]


def _reader(field: Any) -> Callable[[Any], Any] | None:
    converters = field.get_db_converters(connection)
    if not converters:
        return None

    def read(value: Any) -> Any:
        for convert in converters:
            value = convert(value, None, connection)
        return value

    return read


def _raising(error: Exception) -> Callable[[], Rows]:
    def again() -> Rows:
        raise error

    return again
