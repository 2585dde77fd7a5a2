"""A case about an unknown outcome is over by itself when the tool answers after all."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from approvals import clock
from checkpoints.models import Case, Event, Run, Verdict
from reconciliation import lateanswers, ledger, verdicts
from reconciliation.doors.models import Door
from reconciliation.lateanswers import Turn
from reconciliation.models import Attempt, LookUp
from reconciliation.tools import Absent, Found
from reconciliation.verdicts import Given
from tenants.models import AuditRow
from tests.checkpoints.records import by_force
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.execution.runs import due, waiting
from tests.reconciliation.oddtools import Odd, put

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Odd:
    return put(monkeypatch, "fake.look_up")


@pytest.fixture
def held(engine: Bench, tool: Odd, settings: Settings) -> Run:
    """A run that is held because nobody answered for the tool's whole patience."""
    settings.KEDGE_ASK_AGAIN_SECONDS = 0
    tool.patience_seconds = 60  # type: ignore[attr-defined]
    run = waiting(engine, "fake.look_up")
    engine.decide(run)
    silence = engine.fault("silent")
    drop = engine.fault("drop_answer")
    engine.turn()
    long_ago()
    due(run)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "outcome_unknown")
    silence.unlink()
    drop.unlink()
    return run


def long_ago() -> None:
    """Let the patience and the window of every attempt be over."""
    with by_force():
        LookUp.objects.update(at=clock.now() - timedelta(hours=1), boot_seconds=0)
        Attempt.objects.update(deadline_at=clock.now() - timedelta(hours=1))


def turn() -> Turn:
    (one,) = lateanswers.due()
    return one


def test_a_later_answer_closes_the_case_and_the_run_goes_on(engine: Bench, held: Run) -> None:
    assert lateanswers.take(turn()) == 1
    case = Case.objects.get(run=held)
    assert (case.decided_at, case.closed_because) == (
        None,
        "The tool answered after all: it happened.",
    )
    held.refresh_from_db()
    assert (held.status, held.reason) == ("queued", "woken")
    page = signed_in(engine.starter).get(f"/t/{engine.tenant.slug}/cases/{case.pk}/")
    assert "The tool answered after all: it happened." in words(page)
    page = signed_in(engine.starter).get(f"/t/{engine.tenant.slug}/runs/{held.pk}/timeline/")
    assert "Over by itself" in words(page)
    engine.turn()
    held.refresh_from_db()
    assert (held.status, len(effects())) == ("succeeded", 1)
    assert not Verdict.objects.exists()
    assert Event.objects.filter(run_id=held.id, what="case closed").count() == 1
    assert AuditRow.objects.filter(verb="closed case").count() == 1


def test_what_is_absent_after_all_is_sent_again_under_the_same_yes(
    engine: Bench, held: Run, tool: Odd
) -> None:
    for path in engine.world.glob("effect-*"):
        path.unlink()
    assert lateanswers.take(turn()) == 1
    assert "it did not happen" in Case.objects.get(run=held).closed_because
    assert effects() == []
    engine.turn()
    held.refresh_from_db()
    assert (held.status, len(effects())) == ("succeeded", 1)


def test_absent_within_the_window_closes_nothing(engine: Bench, held: Run, tool: Odd) -> None:
    tool.looking_up = lambda _: Absent()
    with by_force():
        Attempt.objects.update(deadline_at=clock.now() + timedelta(hours=1))
    assert lateanswers.take(turn()) == 0
    assert Case.objects.get(run=held).closed_at is None


def test_silence_leaves_the_case_and_ends_the_turn(engine: Bench, held: Run, tool: Odd) -> None:
    engine.fault("silent")
    tool.asked.clear()
    one = turn()
    both = Turn(one.tenant_id, one.tool, [*one.cases, *one.cases])
    assert lateanswers.take(both) == 0
    assert tool.asked == ["look_up"]
    assert Case.objects.get(run=held).closed_at is None


def test_a_verdict_given_meanwhile_stands(engine: Bench, held: Run) -> None:
    one = turn()
    case = Case.objects.get(run=held)
    verdicts.give(case.pk, Given("write_off", "nobody can know"), user=engine.approver)
    assert lateanswers.take(one) == 0
    case.refresh_from_db()
    assert case.decided_at is not None
    assert Verdict.objects.get().verdict == "write_off"


def test_an_effect_that_is_there_twice_stays_a_case_of_the_worse_kind(
    engine: Bench, held: Run, tool: Odd
) -> None:
    tool.looking_up = lambda _: Found(b'{"what":"a-0","action":"x"}', count=2)
    assert lateanswers.take(turn()) == 1
    held.refresh_from_db()
    assert held.status == "held"
    kinds = Case.objects.filter(run=held).order_by("id").values_list("kind", "closed_at")
    assert [(kind, at is None) for kind, at in kinds] == [
        ("outcome_unknown", False),
        ("duplicate_effect", True),
    ]


def test_a_receipt_that_came_another_way_closes_the_case_without_asking(
    engine: Bench, held: Run, tool: Odd
) -> None:
    attempt = Attempt.objects.select_related("action__tenant").get()
    ledger.record_answer(attempt, ledger.Answer("answer", b"{}", "happened"), fence=attempt.fence)
    tool.asked.clear()
    assert lateanswers.take(turn()) == 1
    assert tool.asked == []


def test_a_tool_is_left_alone_between_and_behind_its_door(
    engine: Bench, held: Run, settings: Settings
) -> None:
    settings.KEDGE_ASK_AGAIN_SECONDS = 3600
    assert lateanswers.due() == []
    settings.KEDGE_ASK_AGAIN_SECONDS = 0
    assert lateanswers.due() != []
    now = clock.now()
    Door.objects.update(closed_at=now, closed_by="worker", why="x", next_probe_at=now)
    assert lateanswers.due() == []


def test_who_can_only_be_told_by_a_person_is_not_asked(engine: Bench, settings: Settings) -> None:
    settings.KEDGE_ASK_AGAIN_SECONDS = 0
    run = waiting(engine, "fake.nothing")
    engine.decide(run)
    engine.fault("drop_answer")
    engine.turn()
    assert Case.objects.filter(run=run, kind="outcome_unknown", closed_at=None).exists()
    assert lateanswers.due() == []
