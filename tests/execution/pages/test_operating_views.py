"""Cancelling: what is said before the button, and what the button does."""

from uuid import uuid4

import pytest
from django.test import Client
from django.utils.timezone import now

from checkpoints.models import Run
from reconciliation.models import Action
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(engine: Bench) -> Client:
    return signed_in(engine.starter)


def waiting(engine: Bench, tool: str = "fake.void") -> Run:
    run = engine.start(steps=2, tool=tool, what="a")
    engine.turn()
    return run


def unknown(engine: Bench) -> Run:
    run = waiting(engine, "fake.nothing")
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    return run


def test_cancelling_says_its_numbers_first_and_asks_for_a_reason(
    engine: Bench, operator: Client
) -> None:
    run = waiting(engine)
    url = page_of(engine, run, "cancellation/")
    said = words(operator.get(url))
    assert "Cancel: 0 effects stand, 0 more will be sent" in said
    assert "“write a-0” is not sent and never will be; its question is withdrawn." in said
    refused = operator.post(url, {"reason": " "})
    assert refused.status_code == 422
    run.refresh_from_db()
    assert run.cancel_requested_at is None
    assert operator.post(url, {"reason": "wrong repository"}).status_code == 302
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.cancel_requested_by) == ("cancelled", "Ada")
    assert AuditRow.objects.get(verb="asked to cancel").detail == {"why": "wrong repository"}


def test_a_call_that_is_out_is_said_to_be_out(engine: Bench, operator: Client) -> None:
    said = words(operator.get(page_of(engine, unknown(engine), "cancellation/")))
    assert "Cancel: 0 effects stand, 1 is on its way, 0 more will be sent" in said
    assert "is on its way and cannot be called back" in said
    assert "a person has to say what became of it first" in said
    assert "it ends as soon as its case is decided" in said


def test_an_effect_that_stands_is_named(engine: Bench, operator: Client) -> None:
    run = waiting(engine)
    url = page_of(engine, run, "cancellation/")
    assert "This run has changed nothing outside so far." in words(operator.get(url))
    done = Action.objects.get(run=run)
    done.pk, done.key, done.ordinal, done.describe = uuid4(), b"another", 2, "write b-0"
    done.stands, done.outcome, done.settled_at, done.absorbed_seq = "settled", "happened", now(), 3
    done.save(force_insert=True)
    said = words(operator.get(url))
    assert "1 effect stands and is not undone." in said
    assert "Stands as it is: 1 effect write b-0 fake.void" in said
    assert "Cancel: 1 effect stands, 0 more will be sent" in said


def test_a_run_that_has_ended_cannot_be_cancelled(engine: Bench, operator: Client) -> None:
    run = engine.start(steps=1)
    engine.turn()
    url = page_of(engine, run, "cancellation/")
    for answer in (operator.get(url), operator.post(url, {"reason": "late"})):
        assert answer.status_code == 409
        assert "The run has ended already: succeeded" in words(answer)
