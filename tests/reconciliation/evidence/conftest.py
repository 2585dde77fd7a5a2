"""One piece of evidence for all tests that only read it: made once by a real run, then pure."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from pytest_django import DjangoDbBlocker, Settings

from checkpoints import registry
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from tenants.actors import Actor
from tests.emptying import empty
from tests.engine.turns import Bench
from tests.people import ada, dee, make_tenant
from tests.reconciliation.evidence import samples


@pytest.fixture(autouse=True)
def _own_heads(settings: Settings, tmp_path: Path) -> None:
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"


@pytest.fixture(scope="session")
def evidence(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """The evidence of a run, with something in every member, signed by the tests' key."""
    world = tmp_path_factory.mktemp("evidence")
    changes = {
        "KEDGE_AGENTS": "tests.engine.registry",
        "KEDGE_JOURNAL_DIR": world,
        "KEDGE_SIGNING_KEY": base64.b64encode(samples.KEY.seed).decode(),
    }
    with (
        django_db_blocker.unblock(),
        override_settings(**changes),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("KEDGE_FAKE_WORLD", str(world))
        registry.agents.cache_clear()
        tenant = make_tenant("evidence")
        engine = Bench(tenant=tenant, starter=ada(tenant), approver=dee(tenant), world=world)
        run = samples.planned_run(engine)
        content = export(About.run(run), actor=Actor.person(engine.approver), whole=True)
        registry.agents.cache_clear()
        empty()
    return samples.with_all_members(json.loads(content))
