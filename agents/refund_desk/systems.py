"""The systems that the refund desk works with: its declared tools, and how it reads from them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import psycopg

from agents import declarations, reach
from agents.errors import TicketUnreadable
from agents.tools.deadline import within
from agents.tools.errors import BadProposal
from agents.tools.http import loading
from agents.tools.http.declared import Shape
from agents.tools.http.talking import Line as HttpLine
from agents.tools.sql import declared as sql
from agents.tools.sql.database import Line as SqlLine
from agents.tools.wire.sending import Answer
from reconciliation.tools import CredentialInvalid, Tool, Unanswered

BOOK: Final = "book_refund"
REVERT: Final = "revert_refund"
STORE: Final = "store_refund"
ANSWER: Final = "answer_ticket"
FOLDER = Path(__file__).parent / "declared"
READING_SECONDS = 15

Row = dict[str, Any]


def tools() -> list[Tool]:
    """The tools that the desk declares. Loads the client for stores, which takes its time."""
    return declarations.tools(str(FOLDER), reach.here())


def ask_tickets(tenant: str, path: str) -> Answer:
    """What the tracker answers to a GET. Raises `TicketUnreadable`."""
    declared = _tickets()
    line = HttpLine(declared, reach.here(), tenant, within(READING_SECONDS))
    headers = {"Accept": "application/json", **_asking_headers(declared.effect.shape.headers)}
    try:
        return line.ask(Shape("GET", path, headers), {})
    except (Unanswered, CredentialInvalid, BadProposal) as error:
        raise TicketUnreadable(str(error)) from error


def ask_books(tenant: str, query: str, given: Mapping[str, Any]) -> list[Row]:
    """At most 100 rows of the tenant's books. Raises `TicketUnreadable`."""
    line = SqlLine(_books(), reach.here(), tenant, within(READING_SECONDS))
    try:
        with line.connected() as connection:
            return connection.execute(query, dict(given)).fetchmany(100)
    except (psycopg.Error, OSError, TimeoutError, CredentialInvalid) as error:
        raise TicketUnreadable(f"the books did not answer: {error}") from error


def _asking_headers(of_effect: Mapping[str, str]) -> dict[str, str]:
    return {name: of_effect[name] for name in ("Origin", "X-Requested-With")}


@cache
def _tickets() -> Any:
    return loading.load_file(FOLDER / f"{ANSWER}.json")


@cache
def _books() -> sql.Declared:
    return sql.load_file(FOLDER / f"{BOOK}.json")
