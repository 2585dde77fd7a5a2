"""A record that is older than the world: what the journal has and the ledger lacks is listed."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from approvals import requests
from approvals.models import ApprovalRequest
from checkpoints import leases
from checkpoints.models import Case, Run, Stop
from checkpoints.registry import runnable_combos
from reconciliation import journal, lateanswers, outcomes, verdicts
from reconciliation.behind import comparing, settling
from reconciliation.behind.models import Divergence, MissingLine
from reconciliation.calls import call_for, tool_of
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Attempt, Receipt
from reconciliation.verdicts import Given
from tests.checkpoints.records import judge_now
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import guards_off, past_window
from tests.reconciliation.ready import Ready, ready


def lose_the_attempt(engine: Bench, tool: str = "fake.void", *, arrived: bool = False) -> Run:
    """As after a restore: it was sent, and the record is of a moment before its dispatch."""
    it = ready(engine, tool)
    attempt = it.dispatch()
    journal.write(it.action, attempt)
    if arrived:
        tool_of(it.action).perform(call_for(it.action, attempt))
    forget_the_attempt(it)
    return it.run


def forget_the_attempt(it: Ready) -> None:
    with guards_off():
        Attempt.objects.all().delete()
        Action.objects.update(stands="proposed", outcome="")
        Run.objects.filter(pk=it.run.pk).update(effect_in_flight=None)
        ApprovalRequest.objects.update(state="approved")
    Run.objects.filter(pk=it.run.pk).update(
        status="queued", reason="interrupted", holder=None, lease_until=None
    )


def test_a_lost_attempt_stops_everything_and_holds_its_run(engine: Bench) -> None:
    run = lose_the_attempt(engine)
    divergence = comparing.compare()
    judge_now()
    assert divergence is not None
    assert divergence.codes == ["record_behind"]
    stop = Stop.objects.get()
    assert (stop.pk, stop.tenant, stop.lock) == (divergence.stop_id, None, "effects")
    case = Case.objects.get()
    run.refresh_from_db()
    assert (case.kind, case.action_id) == ("record_behind", Action.objects.get().pk)
    assert (run.status, run.reason) == ("held", "record_behind")
    request = requests.latest(Action.objects.get().pk)
    assert request is not None
    assert request.state == "withdrawn"
    assert leases.acquire(run.pk, combos=runnable_combos()) is None


def test_it_becomes_an_attempt_of_which_nobody_knows(engine: Bench) -> None:
    run = lose_the_attempt(engine)
    comparing.compare()
    (line,) = journal.lines()
    attempt = Attempt.objects.get()
    assert (str(attempt.pk), attempt.outcome, attempt.from_journal) == (line["attempt"], "", True)
    action = Action.objects.get()
    assert (action.stands, action.outcome) == ("dispatched", "unknown")
    run.refresh_from_db()
    assert run.effect_in_flight == action.pk
    missing = MissingLine.objects.get()
    assert (missing.lacks, missing.became, missing.tenant) == ("attempt", "", engine.tenant)


@pytest.mark.parametrize(("arrived", "became"), [(True, "happened"), (False, "did_not_happen")])
def test_the_tool_is_asked_and_the_run_goes_on_by_itself(
    engine: Bench, *, arrived: bool, became: str
) -> None:
    run = lose_the_attempt(engine, arrived=arrived)
    comparing.compare()
    assert lateanswers.conclude(Case.objects.get().pk, outcomes.ask(Action.objects.get()))
    settling.settle_known()
    line, run = MissingLine.objects.get(), Run.objects.get(pk=run.pk)
    assert (line.became, run.status, len(effects())) == (became, "queued", int(arrived))


def test_looked_at_again_it_is_one_line_and_one_case(engine: Bench) -> None:
    lose_the_attempt(engine, "fake.nothing")
    first, second = comparing.compare(), comparing.compare(whole=True)
    assert first is not None
    assert first == second
    given = Given("write_off", "Nobody knows.")
    verdicts.give(Case.objects.get().pk, given, user=engine.approver)
    settling.settle_known()
    comparing.compare(whole=True)
    assert Case.objects.count() == MissingLine.objects.count() == Divergence.objects.count() == 1
    assert MissingLine.objects.get().became == "written_off"


def test_a_record_that_is_whole_holds_nothing(engine: Bench) -> None:
    it = ready(engine)
    journal.write(it.action, it.dispatch())
    assert comparing.compare(whole=True) is None
    assert not Case.objects.exists()
    assert not Stop.objects.exists()


def test_lines_of_another_installation_are_not_ours(engine: Bench) -> None:
    it = ready(engine)
    journal.write(it.action, it.dispatch())
    (line,) = journal.lines()
    journal.room().add({**line, "installation": "another", "attempt": str(it.run.pk)})
    assert comparing.compare() is None


def lose_the_run(engine: Bench) -> MissingLine:
    """The record knows nothing of the run whose effect was sent."""
    it = ready(engine)
    journal.write(it.action, it.dispatch())
    (line,) = journal.lines()
    lost = {"run": str(it.action.pk), "attempt": str(it.run.pk), "action": str(it.run.pk)}
    journal.room().add({**line, **lost})
    comparing.compare()
    return MissingLine.objects.get()


def test_a_run_that_was_lost_too_is_an_entry_that_a_person_settles(engine: Bench) -> None:
    line = lose_the_run(engine)
    assert (line.lacks, line.tenant, line.became) == ("run", engine.tenant, "")
    settling.settle_known()
    line.refresh_from_db()
    assert line.became == ""
    settling.settle(line.pk, became="happened", reason="It is in the world.", user=engine.starter)
    line.refresh_from_db()
    assert (line.became, line.settled_by) == ("happened", engine.starter)
    with pytest.raises(VerdictRefusedError, match="settled already"):
        settling.settle(line.pk, became="nobody_knows", reason="No.", user=engine.starter)


def test_without_the_right_nobody_settles(engine: Bench) -> None:
    line = lose_the_run(engine)
    with pytest.raises(VerdictRefusedError, match="the right to resolve"):
        settling.settle(line.pk, became="happened", reason="Mine.", user=engine.approver)


def test_an_attempt_without_an_approval_is_one_that_the_record_is_known_to_lack(
    engine: Bench,
) -> None:
    it = ready(engine)
    attempt = it.dispatch()
    it.end(attempt)
    for from_journal in (True, False):
        attempt.pk, attempt.approval, attempt.number = uuid4(), None, 2
        attempt.from_journal = from_journal
        with pytest.raises(IntegrityError), transaction.atomic():
            attempt.save(force_insert=True)


@pytest.mark.parametrize(("became", "reason"), [("happened", " "), ("", "Because.")])
def test_an_entry_is_settled_with_a_reason_and_a_verdict(
    engine: Bench, became: str, reason: str
) -> None:
    line = lose_the_run(engine)
    with pytest.raises(VerdictRefusedError):
        settling.settle(line.pk, became=became, reason=reason, user=engine.starter)


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [("it_happened", "happened"), ("it_did_not", "did_not_happen"), ("write_off", "written_off")],
)
def test_what_a_person_says_of_it_settles_it_and_nothing_is_sent(
    engine: Bench, verdict: str, outcome: str
) -> None:
    run = lose_the_attempt(engine)
    comparing.compare()
    past_window(Case.objects.get())
    given = Given(verdict, "Because.", "Seen there.")
    verdicts.give(Case.objects.get().pk, given, user=engine.approver)
    engine.turn()
    run.refresh_from_db()
    assert Action.objects.get().outcome == outcome
    assert run.status == "succeeded"
    assert effects() == []
    settling.settle_known()
    assert MissingLine.objects.get().became == outcome


def test_a_late_answer_finds_the_attempt_that_the_record_had_lost(engine: Bench) -> None:
    lose_the_attempt(engine)
    comparing.compare()
    attempt = Attempt.objects.get()
    assert attempt.receipts.count() == Receipt.objects.count() == 0
    assert str(attempt.pk) == next(iter(journal.lines()))["attempt"]


def test_looking_whether_anything_is_known_asks_no_more_of_many_lines(engine: Bench) -> None:
    run = lose_the_attempt(engine)
    (line,) = journal.lines()
    asked = []
    for more in (1, 5):
        for _ in range(more):
            journal.room().add({**line, "attempt": str(uuid4())})
        comparing.compare()
        with CaptureQueriesContext(connection) as queries:
            assert settling.settle_known() == 0
        asked.append(len(queries))
    assert asked[0] == asked[1] > 0
    assert MissingLine.objects.filter(became="").count() == 7
    run.refresh_from_db()
    assert run.status == "held"
