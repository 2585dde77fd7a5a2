"""Why a run is where it is: the sentence, the step, and who may take it, for each reason."""

from datetime import timedelta

import pytest
from django.utils import timezone

from checkpoints import leases, runs, stops
from checkpoints.models import Run
from execution.pages.standing import standing
from reconciliation import ledger, states
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.people import dee
from tests.reconciliation.ready import ready


def fresh(run: Run) -> Run:
    return Run.objects.select_related("tenant", "combo").get(pk=run.pk)


def test_a_question_is_for_those_who_had_no_hand_in_the_run(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.void", what="a")
    engine.turn()
    for_dee = standing(fresh(run), engine.approver)
    assert for_dee.next is not None
    assert "/approvals/" in for_dee.next["url"]
    assert for_dee.who == "Only you may do this."
    for_ada = standing(fresh(run), engine.starter)
    assert for_ada.who == "This run is yours, so somebody else decides. Only Dee may do this."


@pytest.mark.django_db(transaction=True)
def test_a_held_run_leads_to_its_case(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.nothing", what="a")
    engine.turn()
    engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    told = standing(fresh(run), engine.approver)
    assert told.next is not None
    assert "/cases/" in told.next["url"]
    assert told.who == "Only Ada may do this."
    assert "no answer came" in told.sentence


@pytest.mark.django_db(transaction=True)
def test_a_stopped_run_leads_to_the_stop(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    stops.stop(engine.tenant, "effects", why="wait", actor=Actor.person(engine.starter))
    engine.turn()
    told = standing(fresh(run), engine.starter)
    assert told.sentence.startswith("Effects are stopped by Ada")
    assert told.next is not None
    assert told.next["url"].endswith("/stop/")


def test_a_running_run_says_whether_its_lease_is_being_renewed(engine: Bench) -> None:
    run = engine.start(steps=1)
    lease = engine.acquire()
    told = standing(fresh(run), engine.starter)
    assert told.sentence == "A worker is at the node look."
    assert "being renewed" in str(told.facts)
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=9))
    assert "ran out" in str(standing(fresh(run), engine.starter).facts)
    runs.request_cancel(run.id, why="x", actor=Actor.person(dee(engine.tenant)))
    asked = standing(fresh(run), engine.starter)
    assert asked.who == "It ends at its next checkpoint: Dee asked to cancel it."
    assert leases.renew(lease) is None


def test_a_run_that_goes_on_by_itself_needs_nobody(engine: Bench) -> None:
    run = engine.start(steps=1)
    told = standing(fresh(run), engine.starter)
    assert told.next is None
    assert told.who == "Nobody needs to do anything: it goes on by itself."
    assert told.facts[0]["at"] == fresh(run).due_at
    assert not told.over


def test_an_ended_run_says_that_it_is_over(engine: Bench) -> None:
    run = engine.start(steps=1)
    engine.turn()
    told = standing(fresh(run), engine.starter)
    assert told.over
    assert (told.sentence, told.who) == ("Done.", "It is over: nothing more is sent for it.")
    assert told.facts[1]["value"] == "#3"


def test_late_evidence_about_an_ended_run_stands_above_how_it_ended(engine: Bench) -> None:
    it = ready(engine)
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.DID_NOT_HAPPEN, because=states.VOIDED)
    outcome = runs.Outcome("cancelled", "cancelled_by_person", "Cancelled.")
    runs.finish(it.lease, outcome, actor=Actor.machine("test"))
    it.answer(attempt)
    told = standing(fresh(it.run), engine.starter)
    assert told.status == "cancelled"
    assert told.facts[0]["value"].endswith("and now the effect was found.")
    assert told.next is not None
    assert "/cases/" in told.next["url"]
    assert told.who == "Only you may do this."
