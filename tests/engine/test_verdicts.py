"""What a person decides about a mail nobody can know, and about a run that cannot go on."""

import pytest
from django.db import connection

from checkpoints import reading
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Run
from reconciliation import verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tests.engine.faketools import effects
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def unknown(engine: Bench) -> tuple[Bench, Run, Case]:
    """A run held because its effect was sent and nobody knows what became of it."""
    run = engine.start(tool="fake.nothing", what="a")
    engine.turn()
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    return engine, run, Case.objects.get(run=run)


def test_it_happened_needs_evidence_and_sends_nothing(unknown: tuple[Bench, Run, Case]) -> None:
    engine, run, case = unknown
    with pytest.raises(VerdictRefusedError, match="evidence"):
        verdicts.give(case.id, Given("it_happened", "seen"), user=engine.approver)
    given = Given("it_happened", "seen", "in the mailbox of the customer")
    verdicts.give(case.id, given, user=engine.approver)
    engine.turn()
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert len(effects()) == 1
    action = Action.objects.get(run=run)
    assert (action.outcome, action.because) == ("happened", "by_person")
    case.refresh_from_db()
    assert case.closed_at is not None


def test_it_did_not_is_refused_before_the_window_is_over(
    unknown: tuple[Bench, Run, Case],
) -> None:
    engine, run, case = unknown
    for verdict in ("send_again", "it_did_not"):
        given = Given(verdict, "not there", "looked in the mailbox")
        with pytest.raises(VerdictRefusedError, match="may still arrive"):
            verdicts.give(case.id, given, user=engine.approver)
    run.refresh_from_db()
    case.refresh_from_db()
    assert (run.status, case.decided_at) == ("held", None)
    assert not case.verdicts.exists()


def test_writing_off_lets_the_run_go_on_and_says_that_nobody_knows(
    unknown: tuple[Bench, Run, Case],
) -> None:
    engine, run, case = unknown
    verdicts.give(case.id, Given("write_off", "cannot be found out"), user=engine.approver)
    engine.turn()
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert Action.objects.get(run=run).outcome == "written_off"
    assert reading.load_head(run).state["heard"] == [["written_off", "cannot be found out"]]


def test_the_second_of_two_verdicts_is_told_of_the_first(
    unknown: tuple[Bench, Run, Case],
) -> None:
    engine, _run, case = unknown
    verdicts.give(case.id, Given("write_off", "first"), user=engine.approver)
    with pytest.raises(IllegalMoveError, match="decided already by Dee"):
        verdicts.give(case.id, Given("write_off", "second"), user=engine.starter)


def test_sending_again_asks_anew_and_sends_nothing_before_the_yes(
    unknown: tuple[Bench, Run, Case],
) -> None:
    engine, run, case = unknown
    attempt = Attempt.objects.get(action__run=run)
    # The window is closed by moving the deadline back, with the guard on intents switched off.
    with_past_deadline(attempt)
    given = Given("send_again", "not there", "looked in the mailbox")
    verdicts.give(case.id, given, user=engine.approver)
    for effect in engine.world.glob("effect-*"):
        effect.unlink()
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_approval")
    assert effects() == []
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert len(effects()) == 1
    assert list(Attempt.objects.order_by("number").values_list("number", "outcome")) == [
        (1, "absent"),
        (2, "happened"),
    ]


def with_past_deadline(attempt: Attempt) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "UPDATE reconciliation_attempt SET deadline_at = now() - interval '1 hour' WHERE id = %s",
            [attempt.id],
        )
        cursor.execute("SET session_replication_role = origin")


def test_a_verdict_needs_a_reason(unknown: tuple[Bench, Run, Case]) -> None:
    engine, _run, case = unknown
    with pytest.raises(IllegalMoveError, match="say why"):
        verdicts.give(case.id, Given("write_off", " "), user=engine.approver)
    assert Case.objects.get(id=case.id).decided_at is None
