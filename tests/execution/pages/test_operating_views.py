"""Cancelling, stopping, lifting: what is said before the button, and what the button does."""

from uuid import uuid4

import pytest
from django.test import Client
from django.utils.timezone import now

from checkpoints import stops
from checkpoints.models import Case, Run, Stop
from reconciliation import verdicts
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, page_of, signed_in, words

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
    assert "These effects stand write b-0 world/a-0" in said
    assert "Cancel: 1 effect stands, 0 more will be sent" in said


def test_a_run_that_has_ended_cannot_be_cancelled(engine: Bench, operator: Client) -> None:
    run = engine.start(steps=1)
    engine.turn()
    url = page_of(engine, run, "cancellation/")
    for answer in (operator.get(url), operator.post(url, {"reason": "late"})):
        assert answer.status_code == 409
        assert "The run has ended already: succeeded" in words(answer)


def test_stopping_effects_holds_an_approved_effect_back(engine: Bench, operator: Client) -> None:
    run = waiting(engine)
    engine.decide(run)
    said = words(operator.get(at(engine, "stop/")))
    assert "Stop effects: 1 approved held back, 0 out already" in said
    answer = operator.post(at(engine, "stop/"), {"lock": "effects", "reason": "wrong"}, follow=True)
    assert "Effects are stopped. Nothing more is sent" in words(answer)
    assert "No call was out when it came" in words(answer)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_stop")
    assert "See the stop, and lift it" in words(operator.get(page_of(engine, run)))


def test_the_stop_page_says_what_was_out_and_what_became_of_it(
    engine: Bench, operator: Client
) -> None:
    unknown(engine)
    operator.post(at(engine, "stop/"), {"lock": "effects", "reason": "two answers"})
    said = words(operator.get(at(engine, "stop/")))
    assert "1 call was out when it came. Of 1 it is not known yet what became of it." in said
    assert "Outcome unknown" in said
    assert "Why: two answers" in said
    assert "Effects are stopped already." in said


def test_what_became_of_a_caught_call_is_asked_until_it_is_known(
    engine: Bench, operator: Client
) -> None:
    run = unknown(engine)
    stop = stops.stop(engine.tenant, "effects", why="x", actor=Actor.person(engine.starter))
    url = at(engine, f"stop/{stop.pk}/calls/")
    assert operator.get(url).status_code == 200
    case = Case.objects.get(run=run)
    given = Given("it_happened", "seen", "in the mailbox of the customer")
    verdicts.give(case.id, given, user=engine.approver)
    answer = operator.get(url)
    assert answer.status_code == 286
    assert "What became of each is known: nothing is under way." in words(answer)
    assert "Happened" in words(answer)


def test_a_stop_needs_a_reason_and_a_lock(engine: Bench, operator: Client) -> None:
    for form in ({"lock": "effects", "reason": " "}, {"lock": "all", "reason": "x"}, {}):
        assert operator.post(at(engine, "stop/"), form).status_code == 422
    assert not Stop.objects.exists()


def test_stopping_new_runs_refuses_a_start_and_keeps_what_was_typed(
    engine: Bench, operator: Client
) -> None:
    operator.post(at(engine, "stop/"), {"lock": "new_runs", "reason": "audit week"})
    form = {"task_type": "steps", "business_key": "k-17", "input": '{"steps": 1}'}
    answer = operator.post(at(engine, "runs/start/"), form)
    assert answer.status_code == 422
    assert "audit week" in words(answer)
    assert 'value="k-17"' in answer.content.decode()
    assert not Run.objects.exists()


def test_lifting_a_stop_needs_a_reason_and_wakes_what_waited(
    engine: Bench, operator: Client
) -> None:
    run = waiting(engine)
    stop = stops.stop(engine.tenant, "effects", why="x", actor=Actor.person(engine.starter))
    engine.decide(run)
    engine.turn()
    url = at(engine, f"stop/{stop.pk}/lifting/")
    assert operator.post(url, {}).status_code == 422
    assert operator.post(url, {f"lift-{stop.pk}-reason": "all is well"}).status_code == 302
    run.refresh_from_db()
    stop.refresh_from_db()
    assert (run.status, stop.lifted_by) == ("queued", "Ada")
    again = operator.post(url, {f"lift-{stop.pk}-reason": "all is well"})
    assert again.status_code == 409
    assert "lifted already" in words(again)


def test_a_stop_of_everything_is_shown_and_not_lifted_from_a_tenants_page(
    engine: Bench, operator: Client
) -> None:
    stop = stops.stop(None, "effects", why="restore", actor=Actor.machine("ground"))
    said = words(operator.get(at(engine, "stop/")))
    assert "Effects are stopped everywhere." in said
    assert "it is lifted where this installation is run" in said
    url = at(engine, f"stop/{stop.pk}/lifting/")
    assert operator.post(url, {f"lift-{stop.pk}-reason": "x"}).status_code == 404
    stop.refresh_from_db()
    assert stop.lifted_at is None
