"""Evidence that comes too late: people are told, once."""

import pytest

from checkpoints import runs
from checkpoints.cases import Trouble
from checkpoints.models import Case, Event, Run
from reconciliation import ledger, states
from tenants.actors import Actor
from tests.checkpoints.records import judge_now
from tests.engine.turns import Bench
from tests.reconciliation.ready import Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def contradict(it: Ready) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.WRITTEN_OFF, because=states.BY_PERSON)
    it.answer(attempt)


def test_late_evidence_is_a_case_beside_a_run_that_works(it: Ready) -> None:
    contradict(it)
    judge_now()
    case = Case.objects.get()
    assert (case.kind, case.action_id) == ("contradicted", it.action.id)
    assert case.sentence == "The ledger says written off, and now the effect was found."
    assert it.run.status == "running"


def test_late_evidence_of_a_run_that_ended_is_a_case_too(it: Ready) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.DID_NOT_HAPPEN, because=states.VOIDED)
    outcome = runs.Outcome("cancelled", "cancelled_by_person", "Cancelled.")
    runs.finish(it.lease, outcome, actor=Actor.machine("test"))
    it.answer(attempt)
    judge_now()
    assert (Case.objects.get().kind, it.run.status) == ("contradicted", "cancelled")


def test_a_run_that_is_held_already_keeps_its_case_and_is_told(it: Ready) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.WRITTEN_OFF, because=states.BY_PERSON)
    runs.hold(it.lease, Trouble("crash_loop", "It died."), actor=Actor.machine("test"))
    it.answer(attempt)
    judge_now()
    assert Case.objects.get().kind == "crash_loop"
    assert Event.objects.get(what="late evidence").detail["kind"] == "contradicted"


def test_the_same_evidence_again_opens_no_second_case(it: Ready) -> None:
    contradict(it)
    it.answer(it.stored_whole().attempts.get())
    assert Case.objects.count() == 1
    assert Run.objects.count() == 1
