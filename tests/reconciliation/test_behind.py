"""A record that is older than the world: what the journal has and the ledger lacks is a case."""

import pytest

from approvals import requests
from approvals.models import ApprovalRequest
from checkpoints import leases
from checkpoints.models import Case, Run
from checkpoints.registry import runnable_combos
from reconciliation import behind, journal, verdicts
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tests.checkpoints.records import judge_now
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import guards_off
from tests.reconciliation.ready import ready


def lose_the_attempt(engine: Bench) -> Run:
    """As after a restore: it was sent, and the record is of a moment before its dispatch."""
    it = ready(engine)
    attempt = it.dispatch()
    journal.write(it.action, attempt)
    run = it.run
    with guards_off():
        Attempt.objects.all().delete()
        Action.objects.update(stands="proposed", outcome="")
        Run.objects.filter(pk=run.pk).update(effect_in_flight=None)
        ApprovalRequest.objects.update(state="approved")
    Run.objects.filter(pk=run.pk).update(
        status="queued", reason="interrupted", holder=None, lease_until=None
    )
    return run


def test_a_lost_attempt_holds_its_run_and_its_approval_counts_no_more(engine: Bench) -> None:
    run = lose_the_attempt(engine)
    assert behind.hold_all() == 1
    judge_now()
    case = Case.objects.get()
    run.refresh_from_db()
    assert (case.kind, case.action_id) == ("record_behind", Action.objects.get().pk)
    assert (run.status, run.reason) == ("held", "record_behind")
    request = requests.latest(Action.objects.get().pk)
    assert request is not None
    assert request.state == "withdrawn"
    assert leases.acquire(run.pk, combos=runnable_combos()) is None


def test_looked_at_again_it_is_one_case(engine: Bench) -> None:
    lose_the_attempt(engine)
    assert [behind.hold_all(), behind.hold_all()] == [1, 0]
    given = Given("write_off", "Nobody knows.")
    verdicts.give(Case.objects.get().pk, given, user=engine.approver)
    assert behind.hold_all() == 0
    assert Case.objects.count() == 1


def test_a_record_that_is_whole_holds_nothing(engine: Bench) -> None:
    it = ready(engine)
    journal.write(it.action, it.dispatch())
    assert behind.hold_all() == 0
    assert not Case.objects.exists()


def test_a_run_that_was_lost_too_is_only_logged(engine: Bench) -> None:
    it = ready(engine)
    journal.write(it.action, it.dispatch())
    line = journal.path().read_text().replace(str(it.run.pk), str(it.action.pk))
    journal.path().write_text(line.replace(str(Attempt.objects.get().pk), str(it.action.pk)))
    assert behind.hold_all() == 0


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [("it_happened", "happened"), ("it_did_not", "did_not_happen"), ("write_off", "written_off")],
)
def test_what_a_person_says_of_it_settles_it_and_nothing_is_sent(
    engine: Bench, verdict: str, outcome: str
) -> None:
    run = lose_the_attempt(engine)
    behind.hold_all()
    given = Given(verdict, "Because.", "Seen there.")
    verdicts.give(Case.objects.get().pk, given, user=engine.approver)
    engine.turn()
    run.refresh_from_db()
    assert Action.objects.get().outcome == outcome
    assert run.status == "succeeded"
    assert effects() == []


def test_a_proposal_that_was_lost_whole_can_only_end(engine: Bench) -> None:
    run = lose_the_attempt(engine)
    line = journal.path().read_text().replace(str(Action.objects.get().pk), str(run.pk))
    journal.path().write_text(line)
    behind.hold_all()
    case = Case.objects.get()
    assert case.action_id is None
    assert [choice.verdict for choice in verdicts.choices(case)] == ["cancel"]
