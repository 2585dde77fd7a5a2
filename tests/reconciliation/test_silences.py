"""What is met with silence is asked again, with patience; only when that is spent a person is called."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from approvals import clock
from checkpoints import states as reasons
from reconciliation.models import Attempt, LookUp
from reconciliation.outcomes import Later, NeedsPerson
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.reconciliation.oddtools import put
from tests.reconciliation.ready import ready, reconcile


def test_silence_is_met_with_patience(engine: Bench) -> None:
    it = ready(engine)
    it.dispatch()
    engine.fault("silent")
    for doubled in (1, 2, 4, 8):
        before = clock.now()
        finding = reconcile(it)
        assert isinstance(finding, Later)
        assert finding.reason == reasons.FOR_LOOK_UP
        assert finding.at >= before + timedelta(seconds=doubled)


def test_a_target_that_is_gone_is_silence_like_any_other(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even what a tool can do at its target may be a question that nobody answers."""
    it, tool = ready(engine), put(monkeypatch, "fake.void")
    it.dispatch()
    tool.target_is_gone = True
    finding = reconcile(it)
    assert isinstance(finding, Later)
    assert finding.reason == reasons.FOR_LOOK_UP
    assert Attempt.objects.get().outcome == ""


def test_patience_that_is_spent_calls_a_person(engine: Bench, settings: Settings) -> None:
    it = ready(engine)
    it.dispatch()
    engine.fault("silent")
    reconcile(it)
    with by_force():
        LookUp.objects.update(at=clock.now() - timedelta(seconds=settings.KEDGE_PATIENCE_SECONDS))
    finding = reconcile(it)
    assert isinstance(finding, NeedsPerson)
    assert finding.trouble.kind == reasons.OUTCOME_UNKNOWN
    assert "has not answered for 30 min" in str(finding.trouble.sentence)


def test_a_void_that_is_not_answered_is_met_with_patience_too(engine: Bench) -> None:
    it = ready(engine)
    it.dispatch()
    engine.fault("silent")
    assert isinstance(reconcile(it, void=True), Later)
    assert it.stored().outcome == "unknown"


def test_rule_1_a_void_that_is_never_answered_leaves_an_attempt_for_a_person(
    engine: Bench, settings: Settings
) -> None:
    """It was taken for absent, which was enough to send again, and is not to say no."""
    it = ready(engine)
    it.end(it.dispatch())
    engine.fault("silent")
    reconcile(it, void=True)
    with by_force():
        LookUp.objects.update(at=clock.now() - timedelta(seconds=settings.KEDGE_PATIENCE_SECONDS))
    assert isinstance(reconcile(it, void=True), NeedsPerson)
    assert Attempt.objects.get().outcome == ""
