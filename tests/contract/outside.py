"""The outside world of the fake tools: one SQLite file that survives `kill -9`, for any process."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reconciliation.tools import Call

ALWAYS = 1_000_000
POLL_SECONDS = 0.005
FAULTS_VARIABLE = "KEDGE_FAKE_FAULTS"

_TABLES = """
create table if not exists request (n integer primary key, tool text, method text, action_id text);
create table if not exists effect (n integer primary key, tool text, action_id text, key text,
    target text, receipt blob, visible_at real);
create table if not exists place (action_id text primary key, receipt blob);
create table if not exists remembered (key text primary key, receipt blob, first_seen real);
create table if not exists version (target text primary key, n integer);
"""


@dataclass(frozen=True)
class Faults:
    """What goes wrong, read anew for every request.

    `refuse`, `lose` (before the effect), `drop_answer` (after it), `garbage` (instead of the
    receipt) and `unanswered` (look-up and void) hold for the first so many requests of an action;
    `credential` is on when not 0. Before and after the effect the tool waits for `delay_until` and
    `delay_answer_until`, names of files, as long as the call's budget lasts.
    """

    refuse: int = 0
    lose: int = 0
    drop_answer: int = 0
    garbage: int = 0
    unanswered: int = 0
    credential: int = 0
    delay_until: str = ""
    delay_answer_until: str = ""


class Outside:
    """The world in `folder`. Every method is one durable transaction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "locks").mkdir(exist_ok=True)
        with self.writing() as db:
            for statement in _TABLES.split(";"):
                db.execute(statement)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that nobody else writes beside; opened per use, so forks are safe."""
        db = sqlite3.connect(self.folder / "outside.db", timeout=20, isolation_level=None)
        try:
            db.execute("pragma synchronous = full")
            db.execute("begin immediate")
            yield db
            db.execute("commit")
        finally:
            db.close()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self.writing() as db:
            return db.execute(query, values).fetchall()

    def effects(self, key: str) -> int:
        """How many effects of this ledger key there are, seen or not yet."""
        return int(self.rows("select count(*) from effect where key = ?", key)[0][0])

    def all_effects(self) -> list[tuple[str, str, str]]:
        """(tool, key, target) of every effect, in order."""
        return [(*row,) for row in self.rows("select tool, key, target from effect order by n")]

    def requests(self, method: str = "perform") -> int:
        """How many requests of one method have arrived."""
        query = "select count(*) from request where method = ?"
        return int(self.rows(query, method)[0][0])

    def count_request(self, tool: str, method: str, call: Call) -> int:
        """Note a request; returns its number among those of this action and method."""
        values = (tool, method, call.action_id)
        with self.writing() as db:
            statement = "insert into request (tool, method, action_id) values (?, ?, ?)"
            db.execute(statement, values)
            query = "select count(*) from request where tool = ? and method = ? and action_id = ?"
            return int(db.execute(query, values).fetchone()[0])

    def version(self, target: str) -> str:
        """The version of a target; "" until somebody touches it."""
        rows = self.rows("select n from version where target = ?", target)
        return str(rows[0][0]) if rows else ""

    def touch(self, target: str) -> None:
        """Somebody else changes the target."""
        statement = "insert into version values (?, 1) on conflict (target) do update set n = n + 1"
        self.rows(statement, target)

    def faults(self, tool: str) -> Faults:
        """From the variable `KEDGE_FAKE_FAULTS`, else the file: {tool or "*": {fault: value}}."""
        text = os.environ.get(FAULTS_VARIABLE, "")
        place = self.folder / "faults.json"
        if not text and place.exists():
            text = place.read_text()
        given = json.loads(text or "{}")
        return Faults(**{**given.get("*", {}), **given.get(tool, {})})

    def set_faults(self, tool: str = "*", **faults: int | str) -> None:
        """Write the file, for all processes at once; no faults heals the tool."""
        place = self.folder / "faults.json"
        given = json.loads(place.read_text()) if place.exists() else {}
        draft = self.folder / f"faults.{os.getpid()}.draft"
        draft.write_text(json.dumps({**given, tool: faults}))
        draft.rename(place)


def wait_for(file: str, seconds: float) -> None:
    """Wait until a file exists. Raises `TimeoutError`."""
    end = time.monotonic() + seconds
    while file and not Path(file).exists():
        if time.monotonic() > end:
            raise TimeoutError(f"{file} did not appear")
        time.sleep(POLL_SECONDS)
