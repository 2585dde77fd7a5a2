"""A shadow is in no queue of people, and in no number of live runs."""

import pytest

from approvals.models import ApprovalRequest
from checkpoints.models import Case, Recovery, Run, Successor
from checkpoints.pages import runlist
from checkpoints.pages.runlist import RunFilter
from checkpoints.registry import combo_of
from config.metrics import recovering
from execution import preflight, succeeding
from execution.forks import previews
from execution.pages import figures, finding
from execution.plans import drafting
from execution.plans.drafting import Draft, Target
from execution.problems import pending, stuck
from execution.recoveries import reading
from execution.recoveries.wanted import Wanted
from reconciliation.overview import listing
from reconciliation.overview.filtering import Wanted as Effects
from tenants import clock
from tenants.database import execute
from tests.engine.turns import Bench
from tests.execution.runs import full
from tests.releases.shadows.beside import Stage, stage

ALL = RunFilter(window="all")


@pytest.fixture
def made(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return stage(engine, monkeypatch, says="broken")


@pytest.fixture
def twin(made: Stage) -> Run:
    """A twin in trouble that was interrupted and came back, beside a live run that is fine."""
    live = made.live()
    twin = made.begun(live)
    back = {"ended": "recovered", "ended_at": clock.now(), "new_boundary_at": clock.now()}
    Recovery.objects.create(run=twin, interrupted_fence=1, why="a drill", **back)
    made.bench.turn()
    twin = full(twin)
    assert twin.stop_reason == "shadow_trouble"
    return twin


def test_it_is_not_among_the_runs(made: Stage, twin: Run) -> None:
    tenant = made.bench.tenant
    assert sum(runlist.tallies(tenant, ALL).values()) == 1
    assert sum(runlist.tallies(tenant, RunFilter(text=twin.business_key)).values()) == 1
    assert twin.pk not in [run.pk for run in runlist.listing(tenant, ALL).runs]
    assert runlist.matching(tenant, RunFilter(status="failed"), most=10) == []


def test_it_is_no_problem_of_anybody(made: Stage, twin: Run) -> None:
    tenant = made.bench.tenant
    assert [move.now.run_id for move in pending.pending(tenant)] == []
    assert stuck.standings(tenant) == []
    assert not Case.objects.exists()
    assert not ApprovalRequest.objects.filter(run=twin).exists()


def test_it_is_in_none_of_the_three_numbers(made: Stage, twin: Run) -> None:
    tenant = made.bench.tenant
    assert figures.figures(tenant).begun == 0
    assert reading.total(tenant, Wanted(), now=clock.now()).begun == 0
    assert reading.behind(tenant, Wanted(), now=clock.now()) == []
    rows = execute(recovering.RECOVERIES, {"looked_at": 10, "days": 30})
    assert rows == []
    assert Recovery.objects.get().run_id == twin.pk


def test_nobody_plans_or_forks_it(made: Stage, twin: Run) -> None:
    tenant, user = made.bench.tenant, made.bench.starter
    wanted = Draft("try_again", "repaired", "a run", [Target(twin.pk)])
    with pytest.raises(Run.DoesNotExist):
        drafting.draft(tenant, wanted, user=user)
    assert "shadow" in previews.source_why_not(twin)


def test_no_deploy_and_no_successor_reckons_with_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    made.twin(made.live())
    assert preflight.look(Run.objects.all()).all == 1
    Run.objects.filter(mode="shadow").update(due_at="2020-01-01T00Z")
    declared = Successor(combo=combo_of("odd"), of=made.candidate)
    assert succeeding._take_over(declared) == 0


def test_its_effects_are_none(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    twin = made.twin(live)
    tenant = made.bench.tenant
    found = [each.run_id for each in listing.matching(tenant, Effects())]
    assert found == [live.pk]
    assert {run.pk for run in finding._beginnings(tenant, live.business_key[:6]).runs} == {live.pk}
    assert twin.mode == "shadow"
