"""The hasty variant pushes what nobody has checked; a real revert commit takes it back. Real git."""

from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import Settings

from agents.remotes import remote_url
from canonical.json import loads_object
from checkpoints import registry, runs
from checkpoints.asked import Request
from checkpoints.models import Run
from config.demo import classes
from reconciliation.models import Action
from reconciliation.tools import Followed
from tenants.actors import Actor
from tests.agents.git_fixtures import commit, git, init
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = {"a.py": "x = u'a'\n"}
RULE = {"kind": "ruff", "select": ["UP"]}


@pytest.fixture
def remote(engine: Bench, settings: Settings, tmp_path: Path) -> str:
    """A repository of the bench's tenant, for the installation's own agents."""
    settings.KEDGE_AGENTS, settings.KEDGE_MODEL_URL = "agents.registry", ""
    settings.KEDGE_REMOTES = str(tmp_path / "remotes")
    registry.agents.cache_clear()
    classes.make([engine.tenant], actor=Actor.machine("test"))
    folder = Path(remote_url(engine.tenant.slug, "small"))
    folder.parent.mkdir(parents=True)
    commit(init(folder), BEFORE)
    return str(folder)


def pushed(engine: Bench, variant: str, **given: object) -> Run:
    """A change that a person lets through, as far as its push."""
    combo = registry.combo_of("fleet_change", variant)
    content = {"repository": "small", "rule": RULE, "maintainer": "teo@kedge.example", **given}
    request = Request("fleet_change", uuid4().hex, content, channel="test", pinned_to=combo)
    run, _ = runs.start(engine.tenant, request, actor=Actor.person(engine.starter))
    return approved(engine, run)


def approved(engine: Bench, run: Run) -> Run:
    engine.turn()
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    return run


def test_a_hasty_push_claims_too_much_and_is_reverted_on_the_remote(
    engine: Bench, remote: str
) -> None:
    run = pushed(engine, "hasty", campaign="haste")
    assert bytes(run.combo.digest) != bytes(registry.combo_of("fleet_change").digest)
    assert "All tests pass." in git(remote, "log", "-1", "--format=%B")
    assert git(remote, "show", "main:a.py") != BEFORE["a.py"]

    push = Action.objects.get(run=run, tool="git_push")
    how = registry.agents().COMPENSATIONS["git_push"]
    undone = Followed(
        action_id=str(push.pk),
        tenant=engine.tenant.slug,
        input={},
        parameters=loads_object(bytes(push.parameters)),
        receipt=None,
        why="nobody checked it",
    )
    request = Request(how.task_type, uuid4().hex, how.input_of(undone), channel="test")
    revert, _ = runs.start(engine.tenant, request, actor=Actor.person(engine.starter))
    assert approved(engine, revert).status == "succeeded"
    assert git(remote, "log", "-1", "--format=%s").startswith("Revert ")
    assert git(remote, "show", "main:a.py") == BEFORE["a.py"]


def test_the_careful_combo_of_the_same_code_says_what_it_did(engine: Bench, remote: str) -> None:
    pushed(engine, "", campaign="care")
    said = git(remote, "log", "-1", "--format=%B")
    assert "Apply ruff UP to 1 file" in said
    assert "tests" not in said
