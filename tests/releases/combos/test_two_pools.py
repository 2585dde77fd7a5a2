"""Workers of older and newer code run side by side, real processes: each run by the code it needs."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from django.conf import settings as installed
from django.db import connection
from django.db.models.functions import Now
from pytest_django import Settings

from canonical import digests
from canonical import json as canonical
from checkpoints import reading, registry, runs
from checkpoints.asked import Request
from checkpoints.models import Combo, Run
from execution import announcing, unmanned
from execution.unmanned import PATIENCE
from tenants.actors import Actor
from tenants.models import Tenant
from tests.ground import ROOT, wait_for
from tests.people import make_tenant
from tests.releases.combos.old_pool import TASK
from tests.upgrades.releasing import Crew

pytestmark = pytest.mark.django_db(transaction=True)
OLD, NEW = "tests.releases.combos.old_pool", "tests.releases.combos.new_pool"
SECONDS = 90


@pytest.fixture
def crew(settings: Settings, tmp_path: Path) -> Iterator[Crew]:
    """No process yet, and bells that nobody else listens to."""
    settings.REDIS_URL = urlsplit(installed.REDIS_URL)._replace(path="/14").geturl()
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"
    name = f"/{quote(str(connection.settings_dict['NAME']))}"
    made = Crew(
        {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": urlsplit(os.environ["DATABASE_URL"])._replace(path=name).geturl(),
            "REDIS_URL": str(settings.REDIS_URL),
            "KEDGE_JOURNAL_DIR": str(tmp_path / "journal"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        tmp_path / "crew.log",
    )
    yield made
    made.end()
    registry.agents.cache_clear()


def test_each_pool_runs_its_own_code_and_what_none_runs_says_so(
    crew: Crew, settings: Settings
) -> None:
    tenant = make_tenant("pools")
    old, odd = started(settings, OLD, tenant), started(settings, OLD, tenant, "Say it otherwise.")
    new = started(settings, NEW, tenant)

    start(crew, NEW, "work")
    wait_for(lambda: ended(new), "the newer pool runs its own", seconds=SECONDS)
    assert said(new) == {"by": "new", "prompt": "Say."}
    Run.objects.filter(pk__in=[old.pk, odd.pk]).update(due_at=Now() - 2 * PATIENCE)
    assert unmanned.look() == 2
    old.refresh_from_db()
    code = announcing.code_of(old.combo)[:12]
    assert old.sentence == f"No worker runs code {code}; none was ever seen here."
    assert (old.status, old.attempts) == ("queued", 0)

    start(crew, OLD, "work")
    start(crew, OLD, "sweep")  # the bell of a run is heard by either pool; it is rung again
    wait_for(lambda: ended(old) and ended(odd), "the older pool runs its own", seconds=SECONDS)
    assert said(old) == {"by": "old", "prompt": "Say."}
    assert said(odd) == {"by": "old", "prompt": "Say it otherwise."}
    assert len(announcing.workers()) == 2
    assert len(announcing.alive()) == 2


def started(settings: Settings, module: str, tenant: Tenant, prompt: str = "") -> Run:
    """A run of what a module's code makes, or of another prompt of the same code."""
    settings.KEDGE_AGENTS = module
    registry.agents.cache_clear()
    key = f"{module} {prompt}"
    combo = registry.combo_of(TASK)
    if prompt:
        combo = otherwise(combo, prompt)
    request = Request(TASK, key, {}, channel="test", pinned_to=combo)
    return runs.start(tenant, request, actor=Actor.machine("test"))[0]


def otherwise(combo: Combo, prompt: str) -> Combo:
    """A combo of the same code that says something else."""
    manifest = canonical.dumps(
        canonical.loads_object(bytes(combo.manifest)) | {"prompts": {"say": prompt}}
    )
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    return Combo.objects.create(task_type=TASK, digest=digest, manifest=manifest)


def start(crew: Crew, module: str, word: str) -> None:
    crew.environment["KEDGE_AGENTS"] = module
    crew.start(ROOT, word)


def ended(run: Run) -> bool:
    run.refresh_from_db()
    return run.status == "succeeded"


def said(run: Run) -> dict[str, str]:
    loaded = reading.load_head(Run.objects.select_related("combo", "tenant").get(pk=run.pk))
    return dict(loaded.state)
