"""Action nodes: from the answer of people to the effect, and from the effect to the next node."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from approvals.models import Approval, ApprovalRequest
from checkpoints import runs, stops
from checkpoints.errors import LeaseLostError
from checkpoints.models import Case, Run
from execution import pacing
from reconciliation.models import Action, Attempt
from reconciliation.tools import CredentialInvalid, DryRun
from tenants.actors import Actor
from tests.approvals.questions import expire_in
from tests.checkpoints.lifts import lifted
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import raises
from tests.execution.runs import PAST, bounded_turn, due, head, waiting
from tests.reconciliation.oddtools import put

ADA = Actor.machine("Ada")


def test_a_proposal_is_frozen_before_anybody_is_asked(engine: Bench) -> None:
    run = waiting(engine)
    action = Action.objects.get()
    assert bytes(action.parameters) == b'{"what":"a-0"}'
    assert (action.tool, action.target, action.describe) == (
        "fake.void",
        "world/a-0",
        "write a-0",
    )
    run.refresh_from_db()
    assert (run.status, run.reason, run.sentence) == (
        "waiting",
        "for_approval",
        "Waits for a yes: write a-0",
    )
    assert run.due_at == ApprovalRequest.objects.get().expires_at + timedelta(seconds=1)


def test_asking_again_while_a_question_is_open_asks_nothing_new(engine: Bench) -> None:
    run = waiting(engine)
    due(run)
    engine.turn()
    assert ApprovalRequest.objects.count() == 1
    run.refresh_from_db()
    assert run.reason == "for_approval"


def test_a_question_nobody_answers_in_time_reaches_the_node(engine: Bench) -> None:
    run = waiting(engine)
    expire_in(ApprovalRequest.objects.get(), seconds=-1)
    due(run)
    engine.turn()
    action = Action.objects.get()
    assert (action.outcome, action.because) == ("did_not_happen", "expired")
    assert head(run)["heard"] == [["expired", ""]]
    assert effects() == []


def test_a_world_that_moved_after_the_yes_is_asked_about_anew(engine: Bench) -> None:
    run = waiting(engine)
    engine.decide(run)
    (engine.world / "version").write_text("2")
    engine.turn()
    requests = list(ApprovalRequest.objects.order_by("revision").values_list("state", flat=True))
    assert requests == ["withdrawn", "open"]
    assert effects() == []
    engine.decide(run)
    engine.turn()
    assert len(effects()) == 1


def test_a_stop_suspends_what_is_approved_and_lifting_sends_it(engine: Bench) -> None:
    run = waiting(engine)
    engine.decide(run)
    made = stops.stop(engine.tenant, "effects", why="incident", actor=ADA)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason, effects()) == ("waiting", "for_stop", [])
    assert Approval.objects.get().state == "unused"
    lifted(made)
    assert pacing.let_go_on() == 1
    engine.turn()
    assert len(effects()) == 1


def test_a_typed_refusal_of_the_only_attempt_reaches_the_node(engine: Bench) -> None:
    run = waiting(engine)
    engine.fault("refuse")
    engine.decide(run)
    engine.turn()
    assert Action.objects.get().outcome == "refused"
    assert head(run)["heard"] == [["refused", "the world says no"]]


def test_rule_11_a_cancel_just_before_the_dispatch_ends_the_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = waiting(engine)
    tool = put(monkeypatch, "fake.void")
    engine.decide(run)
    dry_run = tool.dry_run

    def cancel_and_look(call: Any) -> DryRun:
        runs.request_cancel(run.id, why="wrong", actor=ADA)
        return dry_run(call)

    monkeypatch.setattr(tool, "dry_run", cancel_and_look)
    bounded_turn(engine)
    run.refresh_from_db()
    assert (run.status, effects()) == ("cancelled", [])
    assert Action.objects.get().because == "withdrawn"


def test_a_takeover_just_before_the_dispatch_ends_the_turn(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = waiting(engine)
    tool = put(monkeypatch, "fake.void")
    engine.decide(run)
    dry_run = tool.dry_run

    def lapse_and_look(call: Any) -> DryRun:
        assert runs.lapse(run.id, fence=2, why="silent", actor=ADA)
        return dry_run(call)

    monkeypatch.setattr(tool, "dry_run", lapse_and_look)
    with pytest.raises(LeaseLostError):
        bounded_turn(engine)
    assert not Attempt.objects.exists()


def test_an_invalid_credential_holds_the_run_before_anything_is_asked(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = put(monkeypatch, "fake.void")
    monkeypatch.setattr(tool, "check_credential", raises(CredentialInvalid("revoked")))
    run = waiting(engine)
    assert Case.objects.get(run=run).kind == "credential_invalid"
    assert not ApprovalRequest.objects.exists()


def test_a_dry_run_that_fails_is_tried_again_and_then_needs_a_person(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = put(monkeypatch, "fake.void")
    monkeypatch.setattr(tool, "dry_run", raises(TimeoutError("gone")))
    run = waiting(engine)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_retry")
    Run.objects.update(node_failures=8, due_at=PAST)
    engine.turn()
    assert Case.objects.get(run=run).kind == "world_changed"
    assert not ApprovalRequest.objects.exists()


def test_a_database_that_is_gone_is_not_the_dry_runs_fault(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = raises(OperationalError("terminating connection"))
    monkeypatch.setattr(put(monkeypatch, "fake.void"), "dry_run", gone)
    with pytest.raises(OperationalError):
        waiting(engine)
    assert (Run.objects.get().node_failures, Case.objects.count()) == (0, 0)


def test_a_journal_that_cannot_be_written_sends_nothing_and_is_tried_again(
    engine: Bench, settings: Any
) -> None:
    run = waiting(engine)
    engine.decide(run)
    settings.KEDGE_JOURNAL_DIR.write_text("a file where the folder should be")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason, effects()) == ("waiting", "for_retry", [])
    assert run.node_failures == 0  # the journal's trouble, not the node's
    assert Attempt.objects.get().outcome == "not_called"
    settings.KEDGE_JOURNAL_DIR.unlink()
    due(run)
    engine.turn()
    assert len(effects()) == 1
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == [
        "not_called",
        "happened",
    ]
