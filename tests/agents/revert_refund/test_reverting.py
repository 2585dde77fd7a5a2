"""What is taken back is what the books say was booked, whoever asks."""

import uuid

import psycopg
import pytest

from agents.errors import TicketMismatch
from agents.revert_refund import reverting
from agents.revert_refund.graph import GRAPH
from checkpoints.graph import HAPPENED, Proposal, Result
from tests.agents.context import MemoryContext, walk
from tests.agents.refund_desk.conftest import shop
from tests.servers.shop import Shop

__all__ = ["shop"]
BOOKED = """
INSERT INTO refund (action_id, key, ticket, number, purchase, cents, currency)
VALUES (%s, 'k', '1', 1, %s, 4000, 'EUR')
"""


@pytest.fixture
def context(shop: Shop) -> MemoryContext:
    """Asked to take back what an action booked."""
    action_id = str(uuid.uuid4())
    with psycopg.connect(shop.books, autocommit=True) as books:
        books.execute(BOOKED, [action_id, shop.sell()])
    return MemoryContext({"action_id": action_id, "why": "wrong"})


def happens(_node: str, _proposal: Proposal) -> Result:
    return Result(HAPPENED, "a2")


def test_the_amount_is_that_of_the_books_and_the_action_is_named(
    shop: Shop, context: MemoryContext
) -> None:
    walked = walk(GRAPH, context, happens)
    ((node, proposal),) = walked.proposals
    assert (node, proposal.compensates) == ("revert", context.input["action_id"])
    assert proposal.parameters["cents"] == 4_000
    assert GRAPH.manifest.succeeded(walked.state)


def test_a_refund_that_was_taken_back_meanwhile_has_another_version(
    shop: Shop, context: MemoryContext
) -> None:
    reverting.read_refund({}, context)
    ((source, version),) = context.seen.items()
    assert reverting.present_refund(source, context) == version
    with psycopg.connect(shop.books, autocommit=True) as books:
        given = [uuid.uuid4(), context.input["action_id"]]
        books.execute("UPDATE refund SET reverted_by = %s WHERE action_id = %s", given)
    assert reverting.present_refund(source, context) != version
    with pytest.raises(TicketMismatch, match="taken back already"):
        reverting.read_refund({}, context)


def test_what_was_never_booked_is_not_taken_back(shop: Shop) -> None:
    nothing = MemoryContext({"action_id": str(uuid.uuid4()), "why": "?"})
    with pytest.raises(TicketMismatch, match="have no refund"):
        walk(GRAPH, nothing, happens)
    assert reverting.present_refund(f"refunds/{uuid.uuid4()}", nothing) is None
