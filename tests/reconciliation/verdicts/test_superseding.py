"""Taking a verdict back: nothing was made of it, or what was made of it stands and is listed."""

import pytest
from django.db import IntegrityError, transaction

from approvals import requests
from checkpoints import reading
from checkpoints.errors import IllegalMoveError
from checkpoints.headers import written
from checkpoints.models import Case, Checkpoint, Run, Superseded, Verdict
from reconciliation import ledger, verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.ledger import Answer
from reconciliation.models import Action, Attempt, Receipt
from reconciliation.verdicts import Given
from tenants.models import AuditRow
from tests.checkpoints.records import judge_now
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.reconciliation.causes import CAUSES
from tests.reconciliation.deskwork import past_window, signed_in, unknown_mail
from tests.reconciliation.ready import HAPPENED, ready


@pytest.fixture
def case(engine: Bench) -> Case:
    found = unknown_mail(engine)
    past_window(found)
    return found


def give(engine: Bench, case: Case, verdict: str, seen: str = "Seen.") -> Verdict:
    made = verdicts.give(case.pk, Given(verdict, "Because.", seen), user=engine.approver)
    assert isinstance(made, Verdict)
    return made


def take_back(engine: Bench, verdict: Verdict, reason: str = "I looked wrongly.") -> Case:
    opened = verdicts.supersede(verdict.pk, reason=reason, user=engine.starter)
    judge_now()
    return opened


WORLD = ("it_happened", "send_again", "it_did_not", "write_off", "write_off_and_stop")


@pytest.mark.parametrize("verdict", WORLD)
def test_while_nothing_was_made_of_it_nobody_knows_again(
    engine: Bench, case: Case, verdict: str
) -> None:
    was = Action.objects.values().get(), Attempt.objects.values().get()
    opened = take_back(engine, give(engine, case, verdict))
    run = Run.objects.get()
    assert (opened.pk, opened.kind, opened.decided_at) == (case.pk, "outcome_unknown", None)
    assert (Action.objects.values().get(), Attempt.objects.values().get()) == was
    assert (run.status, run.reason) == ("held", "outcome_unknown")
    assert (run.effect_in_flight, run.cancel_requested_at) == (case.action_id, None)
    assert Superseded.objects.get().unsaid
    assert AuditRow.objects.filter(verb="took verdict back").exists()


@pytest.mark.parametrize(
    ("then", "outcome"), [("write_off", "written_off"), ("it_did_not", "did_not_happen")]
)
def test_another_verdict_counts_afterwards(
    engine: Bench, case: Case, then: str, outcome: str
) -> None:
    take_back(engine, give(engine, case, "it_happened"))
    give(engine, case, then)
    engine.turn()
    assert (Run.objects.get().status, Action.objects.get().outcome) == ("succeeded", outcome)
    assert Verdict.objects.count() == 2


def test_the_node_hears_the_word_that_stands_and_not_the_first(engine: Bench, case: Case) -> None:
    take_back(engine, give(engine, case, "it_happened", "It is on line 7."))
    give(engine, case, "it_happened", "It is on line 8.")
    first, second = Receipt.objects.filter(source="person").order_by("id")
    engine.turn()
    run = Run.objects.get()
    heard = reading.load(run, run.head).state["receipt"]
    assert heard["evidence"] == "It is on line 8."
    headers = b"".join(bytes(each.header) for each in Checkpoint.objects.all())
    assert written(bytes(second.digest).hex()).encode() in headers
    assert written(bytes(first.digest).hex()).encode() not in headers


def test_what_the_tool_tells_after_a_word_was_taken_back_is_heard(
    engine: Bench, case: Case
) -> None:
    take_back(engine, give(engine, case, "it_happened"))
    attempt = Attempt.objects.get()
    told = Answer("look_up", b'{"id":"re_1"}', "happened")
    ledger.record_answer(attempt, told, fence=Run.objects.get().fence)
    known = ledger.receipt_heard(Action.objects.get())
    assert known is not None
    assert (known.source, bytes(known.content)) == ("look_up", b'{"id":"re_1"}')


def test_a_yes_to_sending_again_is_taken_back_with_it(engine: Bench, case: Case) -> None:
    verdict = give(engine, case, "send_again")
    engine.turn()
    run = Run.objects.get()
    assert run.reason == "for_approval"
    take_back(engine, verdict)
    request = requests.latest(Action.objects.get().pk)
    assert request is not None
    assert request.state == "withdrawn"
    assert len(effects()) == 1


@pytest.mark.parametrize("verdict", ["it_happened", "it_did_not", "write_off"])
def test_what_the_run_took_in_cannot_be_unsaid(engine: Bench, case: Case, verdict: str) -> None:
    given = give(engine, case, verdict)
    engine.turn()
    outcome = Action.objects.get().outcome
    opened = take_back(engine, given)
    assert (opened.kind, opened.facts["case"]) == ("contradicted", str(case.pk))
    assert Action.objects.get().outcome == outcome
    assert Run.objects.get().status == "succeeded"
    assert not Superseded.objects.get().unsaid
    html = signed_in(engine.starter).get(f"/t/{engine.tenant.slug}/cases/{opened.pk}/")
    assert "What was made of it" in html.content.decode()
    assert "an earlier case, with the verdict given there" in html.content.decode()


def test_the_ledger_can_be_put_right_then(engine: Bench, case: Case) -> None:
    given = give(engine, case, "it_happened")
    engine.turn()
    give(engine, take_back(engine, given), "it_did_not")
    judge_now()
    assert (Action.objects.get().outcome, Action.objects.get().because) == (
        "did_not_happen",
        "by_person",
    )
    assert Run.objects.get().status == "succeeded"


def test_a_run_that_goes_on_is_held_by_what_was_taken_back(engine: Bench) -> None:
    case = CAUSES["crash_loop"](engine, pytest.MonkeyPatch())
    opened = take_back(engine, give(engine, case, "try_again"))
    assert (opened.pk, Run.objects.get().status) == (case.pk, "held")


def test_a_case_that_is_proven_and_said_nothing_of_the_world_stays_closed(engine: Bench) -> None:
    case = CAUSES["crash_loop"](engine, pytest.MonkeyPatch())
    given = give(engine, case, "try_again")
    engine.turn()
    Case.objects.update(closed_at="2026-01-01T00:00Z", closed_because="x", prove_by=None)
    with pytest.raises(VerdictRefusedError, match="nothing to reopen"):
        take_back(engine, given)
    assert not Superseded.objects.exists()


def test_it_needs_a_reason_and_happens_once(engine: Bench, case: Case) -> None:
    given = give(engine, case, "write_off")
    with pytest.raises(IllegalMoveError, match="say why"):
        take_back(engine, given, reason=" ")
    take_back(engine, given)
    with pytest.raises(IllegalMoveError, match="taken back already"):
        take_back(engine, given)


def test_what_undoes_it_is_called_off(engine: Bench, case: Case) -> None:
    take_back(engine, give(engine, case, "compensate"))
    undoing = Run.objects.get(task_type="undo")
    assert undoing.cancel_requested_at is not None
    assert len(effects()) == 1


def test_what_a_tool_told_of_stays_happened_whatever_is_taken_back(engine: Bench) -> None:
    it = ready(engine)
    it.answer(it.dispatch(), HAPPENED)
    with (
        pytest.raises(IntegrityError, match="cannot be made not to have happened"),
        transaction.atomic(),
    ):
        Action.objects.update(outcome="written_off", because="by_person")


def test_a_persons_word_stays_happened_while_nobody_takes_it_back(
    engine: Bench, case: Case
) -> None:
    give(engine, case, "it_happened")
    with (
        pytest.raises(IntegrityError, match="cannot be made not to have happened"),
        transaction.atomic(),
    ):
        Action.objects.update(outcome="written_off")
