"""Answers: receipts first, raw; then what they mean. Races stand in tests/concurrency."""

import pytest

from canonical import digests
from checkpoints.models import Event, Run
from reconciliation import ledger, states
from reconciliation.ledger import Answer
from reconciliation.models import Attempt, LookUp, Receipt
from tenants.keys import hiding
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.reconciliation.ready import HAPPENED, Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def test_an_answer_is_kept_raw_and_settles_the_action(it: Ready) -> None:
    attempt = it.dispatch()
    it.answer(attempt)
    receipt, action = Receipt.objects.get(), it.stored()
    assert bytes(receipt.content) == HAPPENED.content
    assert bytes(receipt.digest).hex() == digests.sha256_hex(HAPPENED.content)
    assert (receipt.attempt, receipt.action, receipt.fence) == (attempt, action, attempt.fence)
    assert (action.stands, action.outcome, action.because) == ("settled", "happened", "answered")
    assert action.evidence_at is not None
    assert Attempt.objects.get().outcome == "happened"
    assert (it.run.effect_in_flight, it.run.status) == (None, "running")


def test_a_settlement_is_told_and_audited(it: Ready) -> None:
    it.answer(it.dispatch())
    told = Event.objects.filter(what="settled").get().detail
    assert told == {"action": str(it.action.id), "outcome": "happened", "because": "answered"}
    assert AuditRow.objects.get(verb="settled").subject == f"action {it.action.id}"


@pytest.mark.parametrize(
    ("source", "because"),
    [
        ("answer", "answered"),
        ("look_up", "looked_up"),
        ("void", "looked_up"),
        ("person", "by_person"),
    ],
)
def test_the_source_says_how_we_know(it: Ready, source: str, because: str) -> None:
    it.answer(it.dispatch(), Answer(source, b"{}", states.HAPPENED))
    assert it.stored().because == because


def test_an_answer_under_the_lease_wakes_nobody(it: Ready) -> None:
    wakes = it.run.wakes
    it.answer(it.dispatch())
    assert it.run.wakes == wakes


def test_a_look_up_is_kept_with_this_machines_own_clock(it: Ready) -> None:
    Run.objects.update(attempts=4)
    attempt = Attempt.objects.select_related("action").get(pk=it.dispatch().pk)
    ledger.record_look_up(attempt, "absent", detail=hiding.text("x" * 3000), clock=("boot", 12.5))
    found = LookUp.objects.get()
    assert (found.answer, found.boot_id, found.boot_seconds) == ("absent", "boot", 12.5)
    assert len(found.detail) == 2000
    assert it.run.attempts == 0


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"{" * 1000])
def test_any_bytes_are_kept(it: Ready, content: bytes) -> None:
    it.answer(it.dispatch(), Answer("answer", content, states.HAPPENED))
    assert bytes(Receipt.objects.get().content) == content
