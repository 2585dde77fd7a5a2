"""What the database says and shows, and that nothing of a dry run or a no stays in it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agents.tools.errors import BadProposal, PlaceTaken
from agents.tools.sql import writing
from agents.tools.sql.declared import load
from agents.tools.sql.tool import SqlTool
from agents.tools.wire.reach import Reach
from canonical.digests import sha256_hex
from canonical.json import loads
from reconciliation.tools import (
    Absent,
    Call,
    CredentialInvalid,
    Found,
    Refused,
    Sent,
    Unanswered,
    Voided,
)
from tests.agents.tools.sql.test_declared import document
from tests.contract.racing import at_once
from tests.contract.sql_worlds import BooksWorld, book_refund
from tests.contract.worlds import hurried, make_call, next_attempt
from tests.ground import wait_for
from tests.servers import ledger

OUTCOMES = "SELECT kind FROM kedge_outcomes WHERE action_id = %s"


@pytest.fixture
def books(tmp_path: Path) -> Iterator[BooksWorld]:
    made = book_refund(tmp_path)
    yield made
    made.close()


def tool_with(change: Callable[[dict[str, Any]], None]) -> SqlTool:
    given = document()
    change(given)
    return SqlTool(load(given), Reach({"KEDGE_TEST_BOOKS": ledger.ledger()}))


def test_a_dry_run_shows_the_rows_before_and_after(books: BooksWorld) -> None:
    call = books.call()
    purchase = call.parameters["purchase"]
    shown = books.tool.dry_run(call)
    diff: Any = loads(shown.diff)
    assert diff["before"] == {
        "Purchase": [{"id": purchase, "paid": 10_000, "refunded": 0}],
        "Entries": [],
    }
    assert diff["after"]["Purchase"] == [{"id": purchase, "paid": 10_000, "refunded": 1250}]
    assert diff["after"]["Entries"] == [
        {"account": "refunds", "cents": 1250},
        {"account": "bank", "cents": -1250},
    ]
    assert shown.summary == ("Purchase: 1 of 1 changed", "Entries: 0 → 2")
    assert shown.resources["Entries"] == ""


def test_rows_that_move_are_seen_by_the_next_dry_run(books: BooksWorld) -> None:
    call = books.call()
    before = books.tool.dry_run(call).resources
    books.rows(
        "UPDATE purchase SET paid = paid + 1 WHERE id = %s RETURNING 1", call.parameters["purchase"]
    )
    after = books.tool.dry_run(call).resources
    assert before["Purchase"] != after["Purchase"]
    assert before["Entries"] == after["Entries"]


def test_what_the_database_would_refuse_is_never_proposed(books: BooksWorld) -> None:
    books.refuse()
    with pytest.raises(BadProposal, match="nobody_gets_back_more_than_they_paid"):
        books.tool.dry_run(books.call())
    with pytest.raises(BadProposal, match="touched 0 rows instead of 1"):
        tool_with(_touch_nobody).dry_run(make_call({"purchase": "nobody", "amount": 1}))


def _touch_nobody(given: dict[str, Any]) -> None:
    given["statements"] = [
        {"sql": "UPDATE purchase SET paid = {amount} WHERE id = {purchase}", "rows": 1}
    ]


def test_a_constraint_that_waits_for_the_commit_speaks_before_it(books: BooksWorld) -> None:
    def unbalanced(given: dict[str, Any]) -> None:
        sql = given["statements"][0]["sql"]
        given["statements"][0]["sql"] = sql.replace("-{amount}", "-{amount} - 1")

    tool, call = tool_with(unbalanced), books.call()
    with pytest.raises(BadProposal, match="the books do not balance"):
        tool.dry_run(call)
    with pytest.raises(Refused, match="the books do not balance"):
        tool.perform(call)
    assert books.effects(call.key) == 0
    assert tool.look_up(call) == Absent()


def test_a_no_leaves_the_place_free(books: BooksWorld) -> None:
    books.refuse()
    call = books.call()
    with pytest.raises(Refused):
        books.tool.perform(call)
    assert books.rows(OUTCOMES, call.action_id) == []


def test_another_number_of_rows_undoes_everything(books: BooksWorld) -> None:
    tool, call = tool_with(_touch_nobody), make_call({"purchase": "nobody", "amount": 1})
    with pytest.raises(Refused, match="touched 0 rows instead of 1"):
        tool.perform(call)
    assert books.rows(OUTCOMES, call.action_id) == []


def test_effect_and_outcome_are_one_transaction(books: BooksWorld) -> None:
    call = books.call()
    sent = books.tool.perform(call)
    assert loads(sent.receipt)["returned"] == {"refunded": 1250}  # type: ignore[index,call-overload]
    assert books.rows(OUTCOMES, call.action_id) == [{"kind": "effect"}]
    assert sent.wire_digest == sha256_hex(call.parameter_bytes)


def test_rows_that_somebody_holds_are_not_a_no(books: BooksWorld) -> None:
    call = books.call()
    with psycopg.connect(ledger.ledger()) as other:
        held = "SELECT 1 FROM purchase WHERE id = %s FOR UPDATE"
        other.execute(held, [call.parameters["purchase"]])
        with pytest.raises(psycopg.OperationalError):
            books.tool.perform(hurried(call, 1.0))
    assert books.effects(call.key) == 0


def test_values_are_never_read_as_sql(books: BooksWorld) -> None:
    name = "x'); DELETE FROM entry; --"
    books.rows("INSERT INTO purchase (id, paid) VALUES (%s, 5) RETURNING 1", name)
    call = make_call({"purchase": name, "amount": 5})
    assert isinstance(books.tool.perform(call), Sent)
    assert books.effects(call.key) == 1
    books.rows("DELETE FROM entry WHERE purchase = %s RETURNING 1", name)
    books.rows("DELETE FROM purchase WHERE id = %s RETURNING 1", name)


def test_an_outcome_stands_as_it_is(books: BooksWorld) -> None:
    call = books.call()
    books.tool.perform(call)
    for change in ("UPDATE kedge_outcomes SET kind = 'void'", "DELETE FROM kedge_outcomes"):
        with pytest.raises(psycopg.errors.RaiseException, match="stands as it is"):
            books.rows(f"{change} WHERE action_id = %s RETURNING 1", call.action_id)


def test_a_second_action_with_the_key_touches_nothing(books: BooksWorld) -> None:
    call = books.call()
    books.tool.perform(call)
    other = Call(**{**vars(books.call()), "key": call.key})
    with pytest.raises(PlaceTaken):
        books.tool.perform(other)
    assert books.effects(call.key) == 1


def test_a_void_waits_for_an_effect_that_is_on_its_way(books: BooksWorld) -> None:
    """The effect holds the place, uncommitted, when the void arrives; it gives up, the void wins."""
    call, tool = books.call(), books.tool
    with psycopg.connect(ledger.ledger()) as other:
        other.execute(
            writing.TAKE,
            {
                "action": call.action_id,
                "attempt": call.attempt_id,
                "key": call.key,
                "tool": "x",
                "parameters": "",
            },
        )

        def give_up() -> None:
            query = (
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"
            )
            wait_for(lambda: bool(books.rows(query, "%'void'%")), "the void waits")
            other.rollback()

        voided, _ = at_once(partial(tool.void, call), give_up)
    assert isinstance(voided, Voided)
    with pytest.raises(PlaceTaken):
        tool.perform(next_attempt(call))


def test_a_place_with_another_key_is_not_ours_to_judge(books: BooksWorld) -> None:
    call = books.call()
    books.tool.perform(call)
    with pytest.raises(Unanswered, match="not ours"):
        books.tool.look_up(Call(**{**vars(call), "key": "0" * 64}))


def test_a_database_that_is_away_cannot_be_asked(books: BooksWorld) -> None:
    call = books.call()
    books.wire.close()
    for ask in (books.tool.look_up, books.tool.void, books.tool.dry_run):
        with pytest.raises(Unanswered):
            ask(call)
    with pytest.raises(psycopg.OperationalError):
        books.tool.perform(call)


def test_a_login_without_rights_is_found_before_the_effect(books: BooksWorld) -> None:
    with pytest.raises(CredentialInvalid):
        SqlTool(load(document()), Reach({})).check_credential("acme")
    with pytest.raises(Refused, match="nothing was sent"):
        SqlTool(load(document()), Reach({})).perform(books.call())


def test_found_again_after_the_answer_was_lost(books: BooksWorld) -> None:
    call = books.call()
    books.lose_answers()
    with pytest.raises(psycopg.OperationalError):
        books.tool.perform(call)
    assert isinstance(books.tool.look_up(next_attempt(call)), Found)
