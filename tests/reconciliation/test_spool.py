"""Rule 16: what a tool answered is kept, also when PostgreSQL is out of reach."""

import json
from functools import partial
from pathlib import Path

import pytest
from django.db import Error, connection
from pytest_django import Settings

from checkpoints import runs
from checkpoints.models import Case
from execution import sweeper
from reconciliation import spool, states
from reconciliation.ledger import Answer
from reconciliation.models import Action, Attempt, Receipt
from reconciliation.tools import Call, Sent
from tenants.actors import Actor
from tests.approvals.racing import beside
from tests.checkpoints.records import run_sql
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting
from tests.reconciliation.oddtools import Odd, put
from tests.reconciliation.ready import HAPPENED, Ready, ready

RAW = Answer("answer", b"\xff\x00 raw", states.HAPPENED, "w" * 64, "note")

EVERYBODY_ELSE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def files(settings: Settings) -> list[Path]:
    return sorted((Path(settings.KEDGE_JOURNAL_DIR) / "spool").glob("*"))


def test_an_answer_survives_the_way_through_the_spool(it: Ready, settings: Settings) -> None:
    attempt = it.dispatch()
    spool.put(attempt.id, RAW, fence=attempt.fence)
    assert spool.is_waiting()
    assert spool.bring_in() == 1
    receipt = Receipt.objects.get()
    assert (bytes(receipt.content), receipt.source) == (RAW.content, "answer")
    assert (receipt.wire_digest, receipt.fence) == ("w" * 64, attempt.fence)
    assert (it.stored().outcome, it.stored().note) == ("happened", "note")
    assert files(settings) == []
    assert not spool.is_waiting()


def test_what_the_record_knows_already_is_not_recorded_twice(it: Ready) -> None:
    """The connection broke after the commit: the answer was spooled and stored."""
    attempt = it.dispatch()
    it.answer(attempt)
    spool.put(attempt.id, HAPPENED, fence=attempt.fence)
    assert spool.bring_in() == 1
    assert Receipt.objects.count() == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"attempt": "x"}', b"\xff"])
def test_a_file_that_cannot_be_read_is_kept_and_stops_no_other(
    it: Ready, settings: Settings, content: bytes
) -> None:
    attempt = it.dispatch()
    spool.put(attempt.id, RAW, fence=attempt.fence)
    broken = Path(settings.KEDGE_JOURNAL_DIR) / "spool" / "0000.json"
    broken.write_bytes(content)
    assert spool.bring_in() == 1
    assert files(settings) == [broken]
    assert it.stored().outcome == "happened"


def test_the_answer_of_an_attempt_nobody_knows_is_kept(it: Ready, settings: Settings) -> None:
    spool.put(it.action.id, RAW, fence=1)
    assert spool.bring_in() == 0
    assert len(files(settings)) == 1


def test_a_half_written_file_is_not_brought_in(it: Ready, settings: Settings) -> None:
    path = spool.put(it.dispatch().id, RAW, fence=1)
    path.rename(path.with_suffix(".1.draft"))
    assert not spool.is_waiting()
    assert spool.bring_in() == 0


def test_a_file_says_whose_answer_it_is(it: Ready) -> None:
    attempt = it.dispatch()
    content = json.loads(spool.put(attempt.id, RAW, fence=3).read_bytes())
    assert (content["attempt"], content["fence"], content["outcome"]) == (
        str(attempt.id),
        3,
        "happened",
    )


@pytest.mark.django_db(transaction=True)
def test_two_who_bring_in_at_once_record_it_and_neither_fails(it: Ready) -> None:
    attempt = it.dispatch()
    spool.put(attempt.id, RAW, fence=attempt.fence)
    with beside() as side:
        told = [side.start(partial(spool.bring_in)) for _ in range(4)]
        assert max(future.result() for future in told) == 1
    assert it.stored().outcome == "happened"
    assert not Case.objects.exists()


def losing_the_database(tool: Odd) -> None:
    """The effect happens, and meanwhile PostgreSQL ends this process's session."""

    def perform(call: Call) -> Sent:
        sent = Fake.perform(tool, call)
        connection.connection.close()
        return sent

    tool.performing = perform


@pytest.mark.django_db(transaction=True)
def test_rule_16_an_answer_without_a_database_is_spooled_and_never_asked_for_again(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    tool = put(monkeypatch, "fake.nothing")
    run = waiting(engine, "fake.nothing")
    engine.decide(run)
    losing_the_database(tool)
    with pytest.raises(Error):
        engine.turn()
    connection.close()
    assert len(files(settings)) == len(effects()) == 1
    assert Attempt.objects.get().outcome == ""
    runs.lapse(run.id, fence=full(run).fence, why="no database", actor=Actor.machine("worker"))
    engine.turn()
    assert (full(run).status, Action.objects.get(run=run).because) == ("succeeded", "answered")
    assert tool.asked == ["perform"]
    assert files(settings) == []


@pytest.mark.django_db(transaction=True)
def test_s126_every_connection_lost_in_mid_effect_repeats_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Others write the receipt on a connection that the network has closed meanwhile, and fail."""
    tool = put(monkeypatch, "fake.nothing")
    run = waiting(engine, "fake.nothing")
    engine.decide(run)

    def perform(call: Call) -> Sent:
        sent = Fake.perform(tool, call)
        killer = connection.copy()
        with killer.cursor() as cursor:
            cursor.execute(EVERYBODY_ELSE)
        killer.close()
        return sent

    tool.performing = perform
    with pytest.raises(Error):
        engine.turn()
    connection.close()
    runs.lapse(run.id, fence=full(run).fence, why="no database", actor=Actor.machine("worker"))
    engine.turn()
    assert (full(run).status, Action.objects.get(run=run).because) == ("succeeded", "answered")
    assert (tool.asked, Receipt.objects.count(), len(effects())) == (["perform"], 1, 1)
    assert files(settings) == []


@pytest.mark.django_db(transaction=True)
def test_rule_16_a_primary_that_became_read_only_is_out_of_reach_too(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    tool = put(monkeypatch, "fake.void")
    run = waiting(engine)
    engine.decide(run)

    def perform(call: Call) -> Sent:
        sent = Fake.perform(tool, call)
        run_sql("SET default_transaction_read_only = on")
        return sent

    tool.performing = perform
    with pytest.raises(Error):
        engine.turn()
    connection.close()
    assert len(files(settings)) == 1
    assert sweeper.sweep()["bring in receipts"] == 1
    assert Action.objects.get().outcome == "happened"
