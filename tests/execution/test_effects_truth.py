"""What became of an effect: rules 1, 2, 6 and 16 as a run meets them."""

from typing import Any

import pytest

from approvals.models import ApprovalRequest
from checkpoints import runs
from checkpoints.graph import COMPUTE
from checkpoints.models import Case
from execution.work import STATE_LIMIT_BYTES
from reconciliation import outcomes, verdicts
from reconciliation.models import Action, Attempt, Receipt
from reconciliation.tools import Refused
from reconciliation.verdicts import Given
from tests.checkpoints import tampering
from tests.checkpoints.records import by_force
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import acting, raises, returns
from tests.execution.runs import PAST, due, full, head, waiting
from tests.reconciliation.oddtools import Late, lost, put
from tests.reconciliation.ready import HAPPENED, REFUSED, ready


def test_rule_2_a_refusal_of_a_later_attempt_is_looked_up(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be the success of the first attempt that the second one met."""
    run, late = waiting(engine), Late()
    tool = put(monkeypatch, "fake.void")
    engine.decide(run)

    def first_hold_then_refuse(call: Any) -> Any:
        if not late.held:
            return late.hold(call)
        late.arrive(tool)
        raise Refused("stale info")

    tool.performing = first_hold_then_refuse
    engine.turn()
    action = Action.objects.get()
    assert (action.outcome, len(effects())) == ("happened", 1)
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == [
        "absent",
        "happened",
    ]


def test_rule_1_a_no_after_an_attempt_is_made_true_before_it_is_heard(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call still hangs in the network when people say no to the second."""
    run, late = waiting(engine), Late()
    tool = put(monkeypatch, "fake.void")
    engine.decide(run)
    tool.performing = move_the_world_and(late, engine)
    engine.turn()
    assert ApprovalRequest.objects.filter(state="open").exists()
    engine.decide(run, "reject", "not any more")
    engine.turn()
    action = Action.objects.get()
    assert (action.outcome, action.because) == ("did_not_happen", "voided")
    assert head(run)["heard"] == [["rejected", "not any more"]]
    late.arrive(tool)
    assert effects() == []


def test_rule_1_a_no_after_an_attempt_that_arrived_is_overtaken_by_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, late = waiting(engine), Late()
    tool = put(monkeypatch, "fake.void")
    engine.decide(run)
    tool.performing = move_the_world_and(late, engine)
    engine.turn()
    late.arrive(tool)
    engine.decide(run, "reject", "not any more")
    engine.turn()
    assert Action.objects.get().outcome == "happened"
    assert head(run)["heard"] == [["happened", ""]]


def move_the_world_and(late: Late, engine: Bench) -> Any:
    def perform(call: Any) -> Any:
        (engine.world / "version").write_text("2")
        return late.hold(call)

    return perform


def test_rule_6_a_tool_that_can_do_nothing_needs_a_yes_for_every_attempt(engine: Bench) -> None:
    it = ready(engine, "fake.nothing")
    it.end(it.dispatch())
    runs.yield_to_others(it.lease)
    engine.turn()
    assert ApprovalRequest.objects.filter(state="open").count() == 1
    assert effects() == []


def test_the_node_hears_the_receipt_of_the_effect_and_not_an_earlier_refusal(
    engine: Bench,
) -> None:
    it = ready(engine)
    first = it.dispatch()
    it.end(first)
    second = it.dispatch()
    it.answer(first, REFUSED)
    it.answer(second, HAPPENED)
    runs.yield_to_others(it.lease)
    engine.turn()
    assert head(it.run)["receipt"] == {"what": "a-0"}
    assert Receipt.objects.count() == 2


def test_rule_16_an_absorb_that_raises_keeps_the_receipt_and_goes_on_from_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch, absorb=raises(ValueError("cannot take it in")))
    run = engine.start("odd")
    engine.turn()
    engine.decide(run)
    engine.turn()
    case = Case.objects.get(run=run)
    assert case.kind == "crash_loop"
    assert (Action.objects.get().outcome, Receipt.objects.count()) == ("happened", 1)
    acting(monkeypatch)
    verdicts.give(case.id, Given("try_again", "deployed a fix"), user=engine.approver)
    engine.turn()
    assert head(run)["receipt"]["what"] == "a-0"
    assert len(effects()) == Attempt.objects.count() == 1


def test_rule_16_a_state_that_cannot_take_the_largest_receipt_proposes_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = acting(monkeypatch)
    made.start = "fill"
    full = {"a": "x" * (STATE_LIMIT_BYTES - 900)}
    made.node("fill", COMPUTE, to=["first"])(returns(full, "first"))
    run = engine.start("odd")
    engine.turn()
    case = Case.objects.get(run=run)
    assert case.kind == "invalid_output"
    assert "a receipt of fake.void up to 1000; the limit is" in case.sentence
    assert not Action.objects.exists()


def test_rule_6_a_verdict_to_send_again_asks_people_first(engine: Bench, settings: Any) -> None:
    """Also where the tool could be asked and the first yes still holds."""
    run = waiting(engine, "fake.look_up")
    lost, silent = engine.fault("drop_answer"), engine.fault("silent")
    engine.decide(run)
    settings.KEDGE_PATIENCE_SECONDS = 0
    engine.turn()
    case = Case.objects.get(run=run)
    with by_force():
        Attempt.objects.update(deadline_at=PAST)
    given = Given("send_again", "not there", "looked myself")
    verdicts.give(case.id, given, user=engine.approver)
    lost.unlink()
    silent.unlink()
    engine.turn()
    assert Attempt.objects.count() == 1
    assert ApprovalRequest.objects.filter(state="open").count() == 1


def test_rule_9_a_run_that_settles_waits_until_then_and_holds_no_worker(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, "fake.look_up").performing = lost
    run = waiting(engine, "fake.look_up")
    engine.decide(run)
    engine.turn()
    found, attempt = full(run), Attempt.objects.get()
    assert (found.status, found.reason, found.holder) == ("waiting", "for_settling", None)
    assert found.sentence.startswith("Settling until ")
    assert found.due_at is not None
    assert found.due_at > outcomes.window_end(attempt)
    assert (attempt.outcome, found.effect_in_flight) == ("", attempt.action_id)


def test_what_was_sent_is_found_out_before_the_record_is_even_read(engine: Bench) -> None:
    """A run that cannot be read any more must still learn what it did to the world."""
    run = waiting(engine)
    engine.fault("drop_answer")
    silent = engine.fault("silent")
    engine.decide(run)
    engine.turn()
    tampering.change_the_state(full(run), 6)
    silent.unlink()
    due(run)
    engine.turn()
    assert Case.objects.get(run=run).kind == "damaged_checkpoint"
    assert (Action.objects.get().outcome, len(effects())) == ("happened", 1)
