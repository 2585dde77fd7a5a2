"""The world of the SQL tool: the books of a shop, in a database that is not ours."""

import uuid
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from agents.tools.sql.declared import load_file
from agents.tools.sql.tool import SqlTool
from agents.tools.wire.reach import Reach
from reconciliation.tools import Call, Json
from tests.contract.http_worlds import DECLARATIONS
from tests.contract.wire import CUT, MUTE, Marks, Wire
from tests.contract.worlds import make_call
from tests.servers import ledger

PAID = 10_000
# The place of the action is asked for once per effect; what follows the commit is its answer.
MARKS = Marks(asks=b"'effect', $", asked=b"COMMIT", answered=b"COMMIT\0")


class BooksWorld:
    """Purchases of its own in books that all tests share."""

    def __init__(self) -> None:
        self._books = psycopg.connect(ledger.ledger(), autocommit=True, row_factory=dict_row)
        self.wire = Wire(ledger.door(), MARKS)
        reach = Reach({"KEDGE_TEST_BOOKS": ledger.through(self.wire.port)})
        self.tool = SqlTool(load_file(DECLARATIONS / "book_refund.json"), reach)
        self._paid = PAID

    def call(self) -> Call:
        purchase = f"p-{uuid.uuid4().hex}"
        self._books.execute(
            "INSERT INTO purchase (id, paid) VALUES (%s, %s)", [purchase, self._paid]
        )
        return make_call({"purchase": purchase, "amount": 1250})

    def odd_parameters(self) -> list[dict[str, Json]]:
        return [
            {"purchase": "\u202e'; DROP TABLE", "amount": 0},
            {"purchase": "é%s", "amount": 2**53 - 1},
        ]

    def effects(self, key: str) -> int:
        return len(self.rows("SELECT id FROM entry WHERE key = %s AND account = 'bank'", key))

    def seen_outside(self) -> object:
        tables = ("purchase", "entry", "kedge_outcomes")
        return [self.rows(f"SELECT * FROM {table} ORDER BY 1") for table in tables]

    def requests(self) -> int:
        return self.wire.requests

    def refuse(self) -> None:
        self._paid = 0

    def lose_answers(self) -> None:
        self.wire.mode = CUT

    def hang(self) -> None:
        self.wire.mode = MUTE

    def rows(self, query: str, *given: Any) -> list[dict[str, Any]]:
        return self._books.execute(query, given).fetchall()

    def close(self) -> None:
        self.wire.close()
        self._books.close()


def book_refund(_: Path) -> BooksWorld:
    return BooksWorld()
