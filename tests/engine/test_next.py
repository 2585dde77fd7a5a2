"""The next release's agents on real git: which paused runs they cannot read, and the way back."""

from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from checkpoints import reading, registry, runs
from checkpoints.asked import Request
from checkpoints.models import Checkpoint, Run
from execution import repinning
from tenants.actors import Actor
from tests.agents.git_fixtures import git
from tests.engine.test_hasty import BEFORE, RULE, remote
from tests.engine.turns import Bench
from tests.execution.repins.pools import CAUSE
from tests.execution.runs import full

__all__ = ["remote"]
pytestmark = pytest.mark.django_db(transaction=True)


def started(engine: Bench, turns: int = 1) -> Run:
    """A change that replaces line for line, as far as its question."""
    content = {"repository": "small", "rule": RULE, "maintainer": "teo@kedge.example"}
    request = Request("fleet_change", uuid4().hex, {**content, "campaign": "c"}, channel="test")
    run, _ = runs.start(engine.tenant, request, actor=Actor.person(engine.starter))
    for _turn in range(turns):
        engine.turn()
    return full(run)


def with_agents(settings: Settings, module: str) -> None:
    settings.KEDGE_AGENTS = module
    registry.agents.cache_clear()


def test_a45_preflight_and_register_name_the_runs_that_it_cannot_read(
    engine: Bench, settings: Settings, remote: str
) -> None:
    paused, fresh, out = started(engine), started(engine, 0), StringIO()
    with pytest.raises(CommandError, match="cannot go on with 1 of the paused runs"):
        call_command("preflight", "--agents", "agents.next", stdout=out)
    said = out.getvalue()
    assert said.startswith("1 of 2 paused runs can go on; 1 cannot:\n")
    assert f"{paused.pk}  {engine.tenant.slug}/{paused.business_key}" in said
    assert "failed: ZeroDivisionError" in said
    assert "1 of those are blocked by version, and go on under their own combo" in said
    assert str(fresh.pk) not in said
    with_agents(settings, "agents.next")
    told = StringIO()
    call_command("combo", "register", "fleet_change", stdout=out, stderr=told)
    assert "Its code cannot read 1 of 2 runs under way" in told.getvalue()
    assert str(paused.pk) in told.getvalue()


def test_a_run_of_the_next_release_is_brought_back_and_pushes_once(
    engine: Bench, settings: Settings, remote: str
) -> None:
    now = registry.combo_of("fleet_change")
    with_agents(settings, "agents.next")
    run = started(engine)
    schemas = {reading.load(run, seq).header["schema"] for seq in range(1, run.head + 1)}
    assert (schemas, run.reason) == ({2}, "for_approval")
    repinning.order(run, now, why="worse", cause=CAUSE, actor=Actor.person(engine.starter))
    engine.turn()
    assert full(run).combo == now
    assert Checkpoint.objects.get(run_id=run.pk, seq=full(run).head).node == "(migrated)"
    with_agents(settings, "agents.registry")
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert git(remote, "show", "main:a.py") != BEFORE["a.py"]
    assert git(remote, "rev-list", "--count", "main").strip() == "2"
    assert reading.verify_run(full(run)) == []
