"""What PostgreSQL holds of twins: they are of their live run, stay shadows, and nobody is asked."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from checkpoints import stops, twins
from checkpoints.errors import StoppedError
from checkpoints.models import Case, Run, ShadowDryRun, Twin
from releases.shadows.starting import SHADOWS
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.execution.runs import full
from tests.releases.shadows.beside import Stage, stage


@pytest.fixture
def made(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return stage(engine, monkeypatch)


def refused(by: str) -> Any:
    return pytest.raises(IntegrityError, match=by)


def test_a_run_has_one_twin_in_a_series(made: Stage) -> None:
    live, series = full(made.live()), uuid4()
    first = made.begun(live, series=series)
    again = twins.start(live, made.candidate, series=series, actor=SHADOWS)
    assert again is None
    assert Twin.objects.get().run_id == first.pk
    with refused("a_run_has_one_twin_per_series"), transaction.atomic():
        run = twins._run(live, made.candidate, "think", SHADOWS)
        run.save(force_insert=True)
        Twin.objects.create(run=run, tenant=live.tenant, twin_of=live, series=series)


@pytest.mark.parametrize(
    ("changes", "by"),
    [
        ({"business_key": "another"}, "a_twin_is_of_its_live_run"),
        ({"mode": "live"}, "twin_has_its_runs_mode"),
        ({"effect_scope": "its"}, "a_twin_is_of_its_live_run"),
        ({"combo": "its"}, "a_twin_is_of_its_live_run"),
    ],
)
def test_a_twin_is_a_shadow_of_what_was_asked(
    made: Stage, changes: dict[str, Any], by: str
) -> None:
    live = full(made.live())
    if changes.get("effect_scope"):
        changes = {"effect_scope": live.effect_scope}
    if changes.get("combo"):
        changes = {"combo": live.combo}
    run = twins._run(live, made.candidate, "think", SHADOWS)
    for name, value in changes.items():
        setattr(run, name, value)
    if changes.get("mode"):
        run.business_key = "of its own"
    with refused("a_twin_is_of_its_live_run" if changes.get("mode") else by), transaction.atomic():
        run.save(force_insert=True)
        Twin.objects.create(run=run, tenant=live.tenant, twin_of=live, series=uuid4())


def test_a_twin_never_becomes_a_live_run(made: Stage) -> None:
    live = made.live()
    twin = made.begun(live)
    with refused("twin_has_its_runs_mode"), transaction.atomic():
        Run.objects.filter(pk=twin.pk).update(mode="live", business_key="free")


def test_a_live_run_keeps_no_dry_runs(made: Stage) -> None:
    live = made.live()
    with refused("dry_run_has_its_runs_mode"), transaction.atomic():
        ShadowDryRun.objects.create(
            action_id=uuid4(), run=live, tenant=live.tenant, diff=b"", media="", before=True
        )


def test_a_shadow_has_no_case_and_is_never_held(made: Stage) -> None:
    twin = made.begun(made.live())
    with refused("a_shadow_run_has_no_case"), transaction.atomic():
        Case.objects.create(tenant=twin.tenant, run=twin, kind="crash_loop", sentence="It.")
    with refused("a_shadow_run_is_never_held"), transaction.atomic():
        Run.objects.filter(pk=twin.pk).update(status="held", reason="crash_loop", due_at=None)


def test_no_twin_is_started_while_new_runs_are_stopped(made: Stage) -> None:
    live = made.live()
    stops.stop(live.tenant, "new_runs", why="enough", actor=Actor.machine("test"))
    with pytest.raises(StoppedError):
        made.begun(live)
    assert not Twin.objects.exists()
