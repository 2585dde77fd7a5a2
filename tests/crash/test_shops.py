"""The shop of the matrix as its oracle reads it: books, bucket and tracker, past every tool."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.contract.object_worlds import client_of
from tests.crash import shops
from tests.crash.shops import Effect
from tests.servers import ledger
from tests.servers.shop import BOOKS, BUCKET, Shop

KEY = "a" * 64
ENTRY = """
INSERT INTO entry (action_id, key, purchase, account, cents)
VALUES (gen_random_uuid(), %s, %s, 'bank', 0), (gen_random_uuid(), %s, %s, 'refunds', 0)
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    yield Shop("acme", books=ledger.made("oracle", BOOKS))
    ledger.drop("oracle")


@pytest.fixture
def world(shop: Shop) -> tuple[str, str]:
    """A purchase and its ticket."""
    purchase = shop.sell()
    return purchase, shop.ticket(purchase)


def seen(shop: Shop, world: tuple[str, str]) -> list[Effect]:
    return list(shops.effects(shop, *world))


def put(shop: Shop, ticket: str, kind: str) -> None:
    client_of(shop.store_port).put_object(
        Bucket=BUCKET,
        Key=f"documents/{kind}/refund-{ticket}.json",
        Body=b"{}",
        Metadata={"kedge-key": KEY, "kedge-kind": kind},
    )


def test_a_fresh_shop_has_no_effect_of_ours(shop: Shop, world: tuple[str, str]) -> None:
    assert seen(shop, world) == []


def test_every_entry_at_the_bank_counts(shop: Shop, world: tuple[str, str]) -> None:
    with psycopg.connect(shop.books, autocommit=True) as books:
        for _ in range(2):
            books.execute(ENTRY, [KEY, world[0], KEY, world[0]])
    assert seen(shop, world) == [Effect(KEY, "refund 0")] * 2


def test_a_document_counts_and_a_tombstone_does_not(shop: Shop, world: tuple[str, str]) -> None:
    put(shop, world[1], "void")
    assert seen(shop, world) == []
    put(shop, world[1], "document")
    assert seen(shop, world) == [Effect(KEY, "document")]


def test_a_ticket_that_is_changed_twice_counts_twice(shop: Shop, world: tuple[str, str]) -> None:
    for answer in ("one", "two"):
        shop.change(world[1], answer=answer, kedge_key=KEY)
    assert seen(shop, world) == [Effect(KEY, "answer")] * 2


def test_what_belongs_to_others_is_not_seen(shop: Shop, world: tuple[str, str]) -> None:
    other = shop.ticket(shop.sell())
    put(shop, other, "document")
    shop.change(other, answer="one", kedge_key=KEY)
    assert seen(shop, world) == []
