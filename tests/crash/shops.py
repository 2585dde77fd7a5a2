"""A shop for the matrix: tracker, store and books that all trials share, and what they hold."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from agents.refund_desk import systems
from tests.contract.object_worlds import client_of
from tests.crash import registry
from tests.crash.databases import TENANT
from tests.servers import ledger, running
from tests.servers.shop import BOOKS, Shop

# Nothing else in the world reads like the number of a ticket.
FIRST_TICKET = 700_000_001


@dataclass(frozen=True)
class Effect:
    """One thing that is in the world: under which ledger key, and what it is."""

    key: str
    what: str


@contextmanager
def opening(base: str) -> Iterator[Callable[[], Shop]]:
    """Start a shop's systems; yields what waits for them, and they end with the block."""
    running.begin_tickets()
    running.begin_seaweed()
    try:
        yield lambda: _opened(base)
    finally:
        running.stop()
        ledger.drop(base)


def effects(shop: Shop, purchase: str, ticket: str) -> Iterator[Effect]:
    """What was paid back, filed and answered, by the books, the bucket and the tracker."""
    bank = "SELECT key, cents FROM entry WHERE purchase = %s AND account = 'bank'"
    for row in shop.rows(bank, purchase):
        yield Effect(row["key"], f"refund {-row['cents']}")
    for written in shop.objects(ticket).values():
        if written.get("kedge-kind") == "document":
            yield Effect(written["kedge-key"], "document")
    key = shop.see(ticket)["kedge_key"]
    yield from [Effect(str(key), "answer")] * _changes(ticket)


def _opened(base: str) -> Shop:
    """Wait for the systems, and tell this process and its children where they are."""
    running.tickets()
    _number_from(FIRST_TICKET)
    shop = Shop(TENANT, books=ledger.made(base, BOOKS))
    os.environ.update(shop.values())
    # Its client takes longer to make than a trial to be killed: made here, every child has it.
    registry.TOOLS[systems.STORE].check_credential(TENANT)
    # A connection that is open across a fork would be everybody's.
    client_of.cache_clear()
    return shop


def _number_from(first: int) -> None:
    _, folder = running.begin_tickets()
    with closing(sqlite3.connect(folder / "db" / "db")) as tracker:
        tracker.execute("UPDATE ids SET num = ? WHERE name = 'issue'", [first])
        tracker.commit()


def _changes(ticket: str) -> int:
    """How often the ticket was changed, by the tracker's own journal."""
    _, folder = running.begin_tickets()
    count = "SELECT count(*) FROM issue__journal WHERE nodeid = ? AND action = 'set'"
    with closing(sqlite3.connect(f"file:{folder / 'db' / 'db'}?mode=ro", uri=True)) as tracker:
        return int(tracker.execute(count, [int(ticket)]).fetchone()[0])
