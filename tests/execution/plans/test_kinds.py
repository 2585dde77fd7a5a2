"""What each kind of plan takes in, leaves out and does; none of them sends anything."""

from typing import Any

import pytest

from approvals import requests
from approvals.models import ApprovalRequest
from checkpoints.graph import ACTION, END, Node
from checkpoints.models import Case, Fork, Run, Verdict
from execution.plans import proving
from execution.plans.errors import PlanRefusedError
from execution.plans.models import Plan, PlanItem
from reconciliation.models import Action, Attempt
from tenants.access import grant, revoke
from tests.approvals.questions import make_due
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, propose_to_the_input, remember
from tests.execution.plans.held import carried, held, planned, results, started, totals, unknown
from tests.execution.runs import due, waiting
from tests.reconciliation.deskwork import past_window

pytestmark = pytest.mark.django_db(transaction=True)


def left_out(plan: Plan) -> list[str]:
    return list(plan.items.filter(state="left_out").values_list("code", flat=True))


def done(engine: Bench, *over: Run, kind: str, **terms: Any) -> Plan:
    return carried(started(planned(engine, over, kind, **terms), engine.starter))


def test_writing_off_sends_nothing_and_is_proven_when_the_runs_got_past_it(engine: Bench) -> None:
    over = unknown(engine, 2)
    plan = done(engine, *over, kind="verdict", verdict="write_off")
    assert (results(plan), Attempt.objects.count()) == (["unproven"] * 2, 2)
    for _ in over:
        engine.turn()
    proving.prove(plan.pk)
    assert results(plan) == ["done", "done"]
    assert set(Action.objects.values_list("outcome", flat=True)) == {"written_off"}
    assert len(effects()) == 2  # what was sent before, and nothing more


def test_it_happened_takes_evidence_once_for_all(engine: Bench) -> None:
    over = unknown(engine, 2)
    assert left_out(planned(engine, over, "verdict", verdict="it_happened")) == ["no_evidence"] * 2
    Plan.objects.update(state="discarded", ended_at="2026-01-01T00Z")
    done(engine, *over, kind="verdict", verdict="it_happened", evidence="the statement of May")
    assert set(Verdict.objects.values_list("evidence", flat=True)) == {"the statement of May"}


def test_it_did_not_is_left_out_while_it_may_still_arrive(engine: Bench) -> None:
    early, late = unknown(engine, 2)
    past_window(Case.objects.get(run=late))
    plan = planned(engine, [early, late], "verdict", verdict="it_did_not", evidence="not there")
    assert (totals(plan), left_out(plan)) == ({"planned": 1, "left_out": 1}, ["window"])
    assert "may still arrive until" in plan.items.get(run=early).sentence


def test_a_verdict_nobody_knows_makes_no_plan(engine: Bench) -> None:
    over = unknown(engine)
    for verdict in ("", "cancel"):
        with pytest.raises(PlanRefusedError, match="which verdict"):
            planned(engine, over, "verdict", verdict=verdict)


def test_trying_again_leaves_unknown_effects_out(engine: Bench) -> None:
    plan = planned(engine, [*held(engine), *unknown(engine)])
    assert (totals(plan), left_out(plan)) == ({"planned": 1, "left_out": 1}, ["effect_unknown"])


def test_what_waits_to_try_again_is_woken(engine: Bench) -> None:
    run = engine.start()
    Run.objects.filter(pk=run.pk).update(
        status="waiting", reason="for_retry", due_at="2099-01-01T00Z"
    )
    plan = done(engine, run, kind="try_again")
    run.refresh_from_db()
    assert (results(plan), run.status, run.reason) == (["done"], "queued", "woken")


def test_cancelling_ends_runs_and_what_is_not_sent_never_is(engine: Bench) -> None:
    stuck, asking = held(engine)[0], waiting(engine)
    plan = done(engine, stuck, asking, kind="cancel")
    assert results(plan) == ["unproven", "unproven"]
    engine.turn()
    engine.turn()
    proving.prove(plan.pk)
    assert results(plan) == ["done", "done"]
    assert set(Run.objects.values_list("status", flat=True)) == {"cancelled"}
    assert effects() == []


def test_cancelling_what_is_held_takes_the_right_to_reconcile(engine: Bench) -> None:
    over = [held(engine)[0], waiting(engine)]
    revoke(engine.tenant, engine.starter, "reconcile_actions")
    plan = planned(engine, over, "cancel")
    assert left_out(plan) == ["not_permitted"]
    grant(engine.tenant, engine.starter, "reconcile_actions")
    Plan.objects.update(state="discarded", ended_at="2026-01-01T00Z")
    plan = started(planned(engine, over[:1], "cancel"), engine.starter)
    revoke(engine.tenant, engine.starter, "reconcile_actions")
    assert results(carried(plan)) == ["failed"]


def test_a_run_whose_effect_moved_since_is_not_cancelled(engine: Bench) -> None:
    run = waiting(engine)
    plan = started(planned(engine, [run], "cancel"), engine.starter)
    engine.decide(run)
    engine.turn()
    carried(plan)
    assert PlanItem.objects.get().state == "skipped"
    assert Run.objects.get().status == "succeeded"


def test_a_running_run_may_move_on_and_is_cancelled_all_the_same(engine: Bench) -> None:
    run = engine.start()
    plan = started(planned(engine, [run], "cancel"), engine.starter)
    engine.acquire()
    assert results(carried(plan)) == ["unproven"]
    assert Run.objects.get().cancel_requested_at is not None


def test_looking_up_again_asks_who_can_be_asked(engine: Bench) -> None:
    (nobody,) = unknown(engine)
    plan = planned(engine, [nobody, *held(engine)], "look_up")
    assert sorted(left_out(plan)) == ["cannot_be_asked", "changed"]


def test_looking_up_again_wakes_what_waits_to_ask(engine: Bench) -> None:
    run = waiting(engine, "fake.look_up")
    silent = engine.fault("silent")
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    assert Run.objects.get().reason in ("for_look_up", "for_settling")
    silent.unlink()
    lost.unlink()
    plan = done(engine, run, kind="look_up")
    assert (results(plan), Run.objects.get().status) == (["done"], "queued")
    assert Attempt.objects.count() == 1


def test_a_renewed_credential_lets_go_on_what_was_held_for_it(engine: Bench) -> None:
    mine, other = held(engine, kind="credential_invalid")[0], held(engine)[0]
    plan = done(engine, mine, other, kind="renewed")
    assert (totals(plan), left_out(plan)) == ({"unproven": 1, "left_out": 1}, ["changed"])


def test_an_expired_approval_is_asked_again_by_a_fork(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, hears = graph(), frozenset({"happened"})
    asks = {"propose": propose_to_the_input, "absorb": remember, "handles": hears}
    made.add(Node("first", ACTION, ("first", END), **asks))  # type: ignore[arg-type]
    install(monkeypatch, made)
    run = engine.start("odd", tool="fake.void")
    engine.turn()
    expire(engine, run)
    assert (Run.objects.get().status, Run.objects.get().stop_reason) == ("failed", "expired")
    plan = done(engine, run, kind="ask_again")
    assert results(plan) == ["done"], PlanItem.objects.get().said
    engine.turn()
    fork = Fork.objects.get(source=run).run
    assert (fork.status, fork.reason) == ("waiting", "for_approval")
    assert effects() == []


def test_asking_again_leaves_out_what_did_not_expire(engine: Bench) -> None:
    assert left_out(planned(engine, held(engine), "ask_again")) == ["changed"]


def expire(engine: Bench, run: Run) -> None:
    """Let the run's question pass its time, unanswered, and the run hear of it."""
    make_due(ApprovalRequest.objects.get(run=run))
    requests.expire_due(10)
    due(run)
    engine.turn()
