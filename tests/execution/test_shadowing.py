"""A shadow proposes and makes its dry run; nobody is asked for it, and nothing of it is ever sent."""

import pytest
from django.db import OperationalError

from approvals.models import ApprovalRequest
from checkpoints import reading, runs
from checkpoints.models import Case, Event, Run, ShadowDryRun
from execution import shadowing
from reconciliation.models import Action, Attempt, LookUp
from reconciliation.tools import Wording
from tenants.actors import Actor
from tests.checkpoints.records import by_force
from tests.engine import registry
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import raises
from tests.execution.runs import due, full, head
from tests.reconciliation.oddtools import put
from tests.releases.shadows.beside import stage


def of(run: Run) -> Action:
    return Action.objects.get(run=run)


def test_it_stops_at_its_dry_run_and_asks_nobody(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    twin = made.twin(live)
    assert (twin.status, twin.reason) == ("waiting", "for_same_key"), twin.sentence
    kept = ShadowDryRun.objects.get(run=twin)
    asked = ApprovalRequest.objects.get()
    assert (asked.run_id, bytes(asked.diff)) == (live.pk, bytes(kept.diff))
    assert kept.before
    assert kept.resources == {"world": "1"}
    assert kept.reversibility == "irreversible"
    assert (of(twin).mode, of(twin).stands) == ("shadow", "proposed")
    assert not Attempt.objects.exists()
    assert not effects()


def test_rule_5_it_has_no_key_in_common_with_its_live_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    twin = made.twin(live)
    assert bytes(of(twin).key) != bytes(of(live).key)
    assert twin.effect_scope == twin.pk != live.effect_scope
    assert made.allow(live).status == "succeeded"
    [effect] = effects()
    assert effect["key"] == bytes(of(live).key).hex()


def test_it_goes_on_with_what_became_of_the_same_effect(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    twin = made.twin(live)
    made.allow(live)
    twin = made.go_on(twin)
    assert (twin.status, twin.stop_reason) == ("succeeded", "done"), twin.sentence
    assert head(twin) == {**head(live), "says": "same"}
    assert Event.objects.get(run_id=twin.pk, what="borrowed").detail["action"] == str(of(live).pk)
    assert reading.verify_run(twin) == []
    marks = reading.load_head(twin).header["actions"]
    assert [mark["is"] for mark in marks] == ["borrowed:happened"]
    assert (of(twin).outcome, of(twin).because) == ("did_not_happen", "withdrawn")
    assert (Attempt.objects.count(), len(effects())) == (1, 1)
    assert not LookUp.objects.exists()


def test_what_was_done_in_other_words_is_borrowed_too(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch, says="b")
    live = made.live()
    twin = made.twin(live)
    assert (twin.status, twin.reason) == ("waiting", "for_same_key")
    made.allow(live)
    assert made.go_on(twin).status == "succeeded"
    assert len(effects()) == 1


def test_a_damaged_question_of_the_live_run_shows_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch, says="b")
    # What the diff leaves out is words only where both diffs are known.
    bare = {"fake.void": Wording(("/what",), diff_is_bare=True)}
    monkeypatch.setattr(registry, "WORDINGS", bare)
    live = made.live()
    with by_force():
        ApprovalRequest.objects.filter(run=live).update(tool="fake.look_up")
    twin = made.twin(live)
    assert (twin.status, twin.stop_reason) == ("cancelled", "shadow_ended"), twin.sentence


def test_it_ends_where_the_live_run_asked_for_something_else(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch, says="other")
    live = made.live()
    twin = made.twin(live)
    assert (twin.status, twin.stop_reason) == ("cancelled", "shadow_ended")
    assert "asked for another effect" in twin.sentence
    assert ShadowDryRun.objects.filter(run=twin).exists()
    assert made.allow(live).status == "succeeded"
    assert len(effects()) == 1


def test_what_came_to_nothing_is_not_borrowed(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    twin = made.twin(live)
    engine.decide(live, "reject")
    engine.turn()
    twin = made.go_on(twin)
    assert (twin.status, twin.stop_reason) == ("cancelled", "shadow_ended")
    assert "came to nothing" in twin.sentence
    assert not effects()


def test_it_waits_for_a_live_run_that_is_not_there_yet(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = engine.start("odd", what="a")
    Run.objects.filter(pk=live.pk).update(due_at=None)
    twin = made.twin(live)
    assert (twin.status, twin.reason) == ("waiting", "for_same_key")
    due(live)
    engine.turn()
    made.allow(live)
    assert made.go_on(twin).status == "succeeded"


def test_what_holds_a_live_run_ends_a_shadow(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch, says="broken")
    twin = made.twin(made.live())
    assert (twin.status, twin.stop_reason) == ("failed", "shadow_trouble")
    assert not Case.objects.exists()


def test_a_dry_run_that_cannot_be_made_is_tried_again_and_then_ends_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    engine.fault("unseen")
    twin = made.twin(live)
    assert (twin.status, twin.reason) == ("waiting", "for_retry")
    for _ in range(shadowing.DRY_RUN_TRIES):
        due(twin)
        engine.turn()
    assert (full(twin).status, full(twin).stop_reason) == ("failed", "shadow_trouble")
    assert of(twin).stands == "settled"
    assert not Case.objects.exists()


def test_a_database_that_is_gone_is_not_the_shadows_fault(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    gone = raises(OperationalError("terminating connection"))
    monkeypatch.setattr(put(monkeypatch, "fake.void"), "dry_run", gone)
    with pytest.raises(OperationalError):
        made.twin(live)
    twin = Run.objects.exclude(pk=live.pk).get()
    assert (twin.status, twin.node_failures) == ("running", 0)


def test_a_run_that_is_cancelled_ends_as_any_other(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    twin = made.twin(made.live())
    runs.request_cancel(twin.pk, why="no more", actor=Actor.machine("test"))
    engine.turn()
    assert (full(twin).status, full(twin).stop_reason) == ("cancelled", "cancelled_by_person")
