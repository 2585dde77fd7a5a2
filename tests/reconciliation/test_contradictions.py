"""Evidence that comes too late: the run is held, and people are told once."""

import pytest

from checkpoints import runs
from checkpoints.cases import Trouble
from checkpoints.errors import LeaseLostError
from checkpoints.models import Case, Event, Run
from reconciliation import ledger, states, verdicts
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.checkpoints.records import commit, judge_now
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import unknown_mail
from tests.reconciliation.ready import HAPPENED, Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def contradict(it: Ready) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.WRITTEN_OFF, because=states.BY_PERSON)
    it.answer(attempt)


def test_late_evidence_holds_a_run_that_works(it: Ready) -> None:
    contradict(it)
    judge_now()
    case = Case.objects.get()
    assert (case.kind, case.action_id) == ("contradicted", it.action.id)
    assert case.sentence == "The ledger says written off, and now the effect was found."
    run = it.run
    assert (run.status, run.reason, run.sentence) == ("held", "contradicted", case.sentence)
    assert (run.holder, run.lease_until, run.due_at) == (None, None, None)
    assert run.fence == it.lease.fence + 1


def test_whoever_worked_on_it_commits_nothing_more(it: Ready) -> None:
    contradict(it)
    head = it.run.head
    with pytest.raises(LeaseLostError):
        commit(it.lease)
    with pytest.raises(LeaseLostError):
        runs.suspend(it.lease, "for_look_up", "Waits.", due_at=None)
    assert (it.run.head, it.run.status) == (head, "held")


@pytest.mark.parametrize("status", ["queued", "waiting"])
def test_late_evidence_holds_a_run_that_stands_in_line_or_waits(it: Ready, status: str) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.WRITTEN_OFF, because=states.BY_PERSON)
    if status == "queued":
        runs.yield_to_others(it.lease)
    else:
        runs.suspend(it.lease, "for_approval", "Waits.", due_at=None)
    assert it.run.status == status
    it.answer(attempt)
    judge_now()
    assert (it.run.status, it.run.reason) == ("held", "contradicted")
    assert Case.objects.get().kind == "contradicted"


def test_a_verdict_lets_it_go_on_and_nothing_is_sent_again(engine: Bench, it: Ready) -> None:
    contradict(it)
    given = Given("it_happened", "It is there once, and that is right.", "Seen on their page.")
    verdicts.give(Case.objects.get().pk, given, user=engine.approver)
    assert it.run.status == "queued"
    engine.turn()
    assert it.run.status != "held"
    assert effects() == []


def test_late_evidence_of_a_run_that_ended_is_a_case_too(it: Ready) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.DID_NOT_HAPPEN, because=states.VOIDED)
    outcome = runs.Outcome("cancelled", "cancelled_by_person", "Cancelled.")
    runs.finish(it.lease, outcome, actor=Actor.machine("test"))
    it.answer(attempt)
    judge_now()
    assert (Case.objects.get().kind, it.run.status) == ("contradicted", "cancelled")
    assert not Event.objects.filter(what="held").exists()


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


def test_late_evidence_comes_back_when_the_case_that_held_the_run_is_decided(
    engine: Bench, it: Ready
) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.WRITTEN_OFF, because=states.BY_PERSON)
    runs.hold(it.lease, Trouble("crash_loop", "It died."), actor=Actor.machine("test"))
    it.answer(attempt)
    first = Case.objects.get()
    verdicts.give(first.pk, Given("try_again", "It is mended."), user=engine.approver)
    judge_now()
    second = Case.objects.get(decided_at=None)
    assert (second.kind, second.action_id) == ("contradicted", it.action.id)
    assert (it.run.status, it.run.reason) == ("held", "contradicted")


def test_evidence_against_a_verdict_names_its_case_and_waits_for_its_proof_no_more(
    engine: Bench,
) -> None:
    case = unknown_mail(engine)
    verdicts.give(case.pk, Given("write_off", "Nobody knows."), user=engine.approver)
    attempt = Attempt.objects.select_related("action").get()
    ledger.record_answer(attempt, HAPPENED, fence=attempt.fence)
    judge_now()
    case.refresh_from_db()
    opened = Case.objects.get(decided_at=None)
    assert opened.kind == "contradicted"
    assert (opened.facts["case"], opened.facts["verdict"]) == (str(case.pk), "write_off")
    assert case.closed_because == "late evidence was against it"


def test_evidence_against_a_verdict_of_a_run_that_ended_is_decided_and_closed(
    engine: Bench,
) -> None:
    case = unknown_mail(engine)
    verdicts.give(case.pk, Given("write_off", "Nobody knows."), user=engine.approver)
    engine.turn()
    attempt = Attempt.objects.select_related("action").get()
    ledger.record_answer(attempt, HAPPENED, fence=attempt.fence)
    opened = Case.objects.get(decided_at=None)
    offered = {choice.verdict for choice in verdicts.choices(opened)}
    assert offered == {"it_happened", "compensate", "it_stands"}
    given = Given("it_happened", "It is there.", "Their page.")
    verdicts.give(opened.pk, given, user=engine.approver)
    judge_now()
    assert Action.objects.get().outcome == "happened"
    assert Run.objects.get().status == "succeeded"
