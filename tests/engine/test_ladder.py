"""The engine does nothing above the rung of a combo: not tried, not asked, not sent, and it says why."""

from uuid import uuid4

import pytest
from django.db import IntegrityError

from approvals.models import ApprovalRequest
from canonical.redaction import ours
from checkpoints import rungs, runs
from checkpoints.asked import Request
from checkpoints.models import Combo, Route, Run
from checkpoints.registry import combo_of
from checkpoints.rungs import Step
from reconciliation import asking
from reconciliation.credentials import keeping
from reconciliation.credentials.keeping import Noted
from reconciliation.errors import AboveRungError
from reconciliation.models import Action, Attempt
from tenants.access import grant
from tenants.actors import Actor
from tests.checkpoints.combos import another
from tests.engine import registry
from tests.engine.faketools import effects
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)

TOOL = "fake.look_up"


@pytest.fixture
def candidate(engine: Bench) -> Combo:
    """A combo that is not what new runs get."""
    Route.objects.create(tenant=engine.tenant, task_type="steps", stable=combo_of("steps"))
    return another("steps", "other")


def started(engine: Bench, combo: Combo) -> Run:
    content = {"steps": 1, "tool": TOOL, "what": "letter"}
    request = Request("steps", uuid4().hex, content, channel="test", pinned_to=combo)
    run, _ = runs.start(engine.tenant, request, actor=Actor.person(engine.starter))
    return run


def climbed(engine: Bench, combo: Combo, *to: str) -> None:
    for rung in to:
        wanted = Step(TOOL, rung, ours("it is time"), b"{}")
        rungs.step(engine.tenant, combo, wanted, user=engine.starter)


def due(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(due_at=run.created_at)


def test_at_the_bottom_nothing_is_tried_and_nobody_is_asked(
    engine: Bench, candidate: Combo
) -> None:
    run = started(engine, candidate)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_retry")
    assert "stands on the rung “fake” of fake.look_up, and this takes “write”" in run.sentence
    assert not ApprovalRequest.objects.exists()
    with pytest.raises(AboveRungError):
        asking.question(Action.objects.select_related("run__combo", "tenant").get(run=run))
    climbed(engine, candidate, rungs.READ)
    with pytest.raises(AboveRungError):
        asking.question(Action.objects.select_related("run__combo", "tenant").get(run=run))


def test_at_the_bottom_not_even_its_credential_is_looked_at(
    engine: Bench, candidate: Combo, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(registry.TOOLS[TOOL], "check_credential", asked.append)
    grant(engine.tenant, engine.starter, "manage_tenant")
    noted = Noted("robot@example.org", "env:FAKE_TOKEN", "3", None)
    keeping.note(engine.tenant, TOOL, noted, owner=engine.starter, user=engine.starter)
    run = started(engine, candidate)
    engine.turn()
    assert asked == []
    climbed(engine, candidate, rungs.READ)
    due(run)
    engine.turn()
    assert asked == [engine.tenant.slug]


def test_at_the_top_it_goes_on_where_it_waited(engine: Bench, candidate: Combo) -> None:
    run = started(engine, candidate)
    engine.turn()
    climbed(engine, candidate, rungs.READ, rungs.DRY_RUN)
    due(run)
    engine.turn()
    assert not ApprovalRequest.objects.exists()
    climbed(engine, candidate, rungs.WRITE)
    due(run)
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert len(effects()) == 1
    assert Attempt.objects.filter(action__run=run).count() == 1


def test_stepped_down_after_the_yes_nothing_is_sent(engine: Bench, candidate: Combo) -> None:
    climbed(engine, candidate, rungs.READ, rungs.DRY_RUN, rungs.WRITE)
    run = started(engine, candidate)
    engine.turn()
    engine.decide(run)
    climbed(engine, candidate, rungs.DRY_RUN)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_retry")
    assert not Attempt.objects.exists()
    assert effects() == []
    climbed(engine, candidate, rungs.WRITE)
    due(run)
    engine.turn()
    assert len(effects()) == 1


def test_the_last_check_reads_the_rung_under_its_lock(
    engine: Bench, candidate: Combo, monkeypatch: pytest.MonkeyPatch
) -> None:
    climbed(engine, candidate, rungs.READ, rungs.DRY_RUN, rungs.WRITE)
    run = started(engine, candidate)
    engine.turn()
    engine.decide(run)

    judge, stepped = asking.refuse_above_rung, list[str]()

    def stepped_down_after(action: Action, needed: str) -> None:
        if stepped:
            judge(action, needed)
        stepped.append(needed)
        climbed(engine, candidate, rungs.FAKE)

    # The check before it passes: only the one of the dispatch is left to refuse.
    monkeypatch.setattr(asking, "refuse_above_rung", stepped_down_after)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_retry")
    assert not Attempt.objects.exists()
    assert effects() == []


def test_the_database_takes_no_intent_above_the_rung(
    engine: Bench, candidate: Combo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every check of ours away: the code that sends is wrong, or is not ours any more."""
    monkeypatch.setattr(rungs, "may_write", lambda *_: True)
    monkeypatch.setattr(rungs, "reaches", lambda *_: True)
    run = started(engine, candidate)
    engine.turn()
    engine.decide(run)
    with pytest.raises(IntegrityError, match="nothing_is_sent_above_its_rung"):
        engine.turn()
    assert effects() == []
