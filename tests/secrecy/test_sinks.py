"""The whole record of a run that handles secrets carelessly is searched for them: 0 hits."""

from io import StringIO
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from canonical import digests
from canonical import json as canonical
from checkpoints import reading
from checkpoints.asked import Request
from checkpoints.errors import InputRefusedError, KeyReusedError
from checkpoints.models import Case, Run
from checkpoints.runs import start
from reconciliation import journal, spool
from reconciliation.models import Action, Receipt
from tenants.actors import Actor
from tests.checkpoints.records import run_sql
from tests.engine.turns import Bench
from tests.secrecy import registry
from tests.secrecy.registry import GIVEN, MAIL, PASSWORD, sent
from tests.secrecy.sinks import leaking, leaks, rows

pytestmark = pytest.mark.django_db(transaction=True)


def finished(bench: Bench, run: Run) -> Run:
    """The run after its question was answered with yes."""
    bench.turn()
    bench.decide(run)
    bench.turn()
    run.refresh_from_db()
    return run


def test_the_search_finds_what_it_looks_for() -> None:
    assert leaks(f"x{PASSWORD}y".encode())
    assert not leaks(b"swordfish")


def test_a_whole_run_leaves_no_secret_anywhere(careless: Bench, run: Run, log: StringIO) -> None:
    assert (finished(careless, run).status, run.stop_reason) == ("succeeded", "done")
    assert leaking() == []
    assert "beginning with" in log.getvalue()
    assert leaks(log.getvalue().encode()) == []
    assert next(iter(journal.lines()))["target"].startswith("https://«secret")


def test_what_was_approved_is_sent_to_the_byte(careless: Bench, run: Run) -> None:
    finished(careless, run)
    assert sent() == [
        canonical.dumps(
            {
                "token": PASSWORD,
                "customer": GIVEN["customer"],
                "url": "https://x/?p=sword%20fish/42%2B%C3%A4",
            }
        ).decode()
    ]
    action, receipt = Action.objects.get(run=run), Receipt.objects.get()
    stored = digests.sha256_hex(bytes(action.parameters))
    assert bytes(action.parameters_digest).hex() == stored == receipt.wire_digest


def test_no_plain_digest_of_what_left_is_kept(careless: Bench, run: Run) -> None:
    finished(careless, run)
    guessable = digests.sha256_hex(sent()[0].encode())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM reconciliation_receipt WHERE wire_digest = %s", [guessable]
        )
        assert cursor.fetchone() == (0,)


def test_the_record_of_it_verifies(careless: Bench, run: Run) -> None:
    finished(careless, run)
    assert reading.verify_run(run) == []


@pytest.mark.parametrize("fault", ["dry", "refuse", "drop_answer"])
def test_no_trouble_says_a_secret(careless: Bench, run: Run, log: StringIO, fault: str) -> None:
    path = careless.fault(fault)
    careless.turn()
    run.refresh_from_db()
    if run.reason == "for_approval":
        careless.decide(run)
        careless.fault("silent")
        careless.turn()
    run.refresh_from_db()
    assert run.status == "waiting"
    assert path.exists()
    assert leaking() == []
    assert leaks(log.getvalue().encode()) == []


def test_a_receipt_that_is_looked_up_holds_no_secret(careless: Bench, run: Run) -> None:
    careless.fault("drop_answer")
    assert finished(careless, run).status == "succeeded"
    assert Receipt.objects.get().source == "look_up"
    assert leaking() == []


def test_a_node_that_raises_says_no_secret(careless: Bench, log: StringIO) -> None:
    run = careless.start("careless", **GIVEN, then="raise")
    careless.turn()
    run.refresh_from_db()
    case = Case.objects.get(run=run)
    assert case.sentence.startswith("The node begin failed: ValueError: cannot work with")
    assert "«secret" in case.facts["trace"]
    assert leaking() == []
    assert leaks(log.getvalue().encode()) == []


@pytest.mark.parametrize("at", [281, 481])
def test_what_is_cut_is_cut_after_it_is_redacted(careless: Bench, at: int) -> None:
    """Half a secret is one too: what is said of an error ends after 300 and after 500 characters."""
    careless.start("careless", **GIVEN, then=f"raise after {at}")
    careless.turn()
    assert leaking() == []
    assert [name for name, content in rows() if b"xxx" + PASSWORD[:6].encode() in content] == []


def test_a_spooled_receipt_holds_no_secret(careless: Bench, run: Run) -> None:
    careless.turn()
    careless.decide(run)
    run_sql("ALTER TABLE reconciliation_receipt ADD CONSTRAINT no_room CHECK (id < 0) NOT VALID")
    try:
        with pytest.raises(Exception, match="no_room"):
            careless.turn()
    finally:
        run_sql("ALTER TABLE reconciliation_receipt DROP CONSTRAINT no_room")
    assert spool.is_waiting()
    assert leaking() == []
    assert spool.bring_in() == 1
    assert Receipt.objects.get().wire_digest
    assert leaking() == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"password": [PASSWORD]},
        {"customer": {"id": 7, "mail": MAIL}},
        {"customer": {"mail": MAIL}},
        {"then": [PASSWORD]},
    ],
)
def test_a_refused_input_is_not_quoted(careless: Bench, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputRefusedError) as refusal:
        careless.start("careless", **{**GIVEN, **wrong})
    assert leaks(str(refusal.value).encode()) == []
    assert leaking() == []


def test_a_business_key_is_no_place_for_a_secret(careless: Bench) -> None:
    request = Request("careless", f"for {MAIL}", GIVEN, channel="test")
    with pytest.raises(InputRefusedError, match="marks sensitive"):
        start(careless.tenant, request, actor=Actor.person(careless.starter))


def test_the_same_request_finds_the_same_run(careless: Bench) -> None:
    actor = Actor.person(careless.starter)
    first, created = start(careless.tenant, Request("careless", "k", GIVEN, "test"), actor=actor)
    again, repeated = start(careless.tenant, Request("careless", "k", GIVEN, "test"), actor=actor)
    assert (first.id, created, repeated) == (again.id, True, False)
    other = Request("careless", "k", {**GIVEN, "password": "another one"}, "test")
    with pytest.raises(KeyReusedError):
        start(careless.tenant, other, actor=actor)


def test_a_missing_ring_key_waits_and_goes_on_when_it_is_back(
    careless: Bench, run: Run, settings: Settings
) -> None:
    ours = settings.KEDGE_KEYS
    settings.KEDGE_KEYS = "other:b25seS1mb3ItdGhlLWNoZWNrLTAxMjM0NTY3ODlhYmM="
    careless.turn()
    run.refresh_from_db()
    assert (run.status, run.reason, run.node_failures) == ("waiting", "for_retry", 0)
    assert "KEDGE_KEYS has no key" in run.sentence
    settings.KEDGE_KEYS = ours
    Run.objects.filter(pk=run.pk).update(due_at=None, status="queued", reason="woken")
    Run.objects.filter(pk=run.pk).update(due_at="2020-01-01T00:00Z")
    assert finished(careless, run).status == "succeeded"
    assert registry.sent()
