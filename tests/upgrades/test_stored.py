"""A stored database of every release opens under the code of today, and its runs go on to the end."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from canonical import digests
from checkpoints import registry
from checkpoints.models import Recovery, Run
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.models import User
from tenants.trail import heads
from tests.engine.faketools import effects
from tests.upgrades import past, shelf
from tests.upgrades.cases import BY_NAME, CASES, TOKEN
from tests.upgrades.opening import opened
from tests.upgrades.resuming import resume

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the world and the journal, and the keys that stored databases open with."""
    settings.KEDGE_AGENTS = "tests.upgrades.registry"
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"
    for name, value in past.OPENS_WITH.items():
        setattr(settings, name, value)
    monkeypatch.setenv("KEDGE_FAKE_WORLD", str(tmp_path / "world"))
    registry.agents.cache_clear()
    yield tmp_path
    registry.agents.cache_clear()


@pytest.mark.parametrize("version", shelf.releases())
def test_every_run_of_a_stored_database_goes_on_and_its_effect_happens_once(
    version: str, here: Path
) -> None:
    with opened(shelf.of(version), here):
        stored_as = dict(Run.objects.values_list("business_key", "status"))
        assert stored_as == {each.name: each.stands[0] for each in CASES}
        assert len(effects()) == shelf.of(version).facts.effects == sum(e.done for e in CASES)
        is_whole()
        resume(User.objects.get(email="dee@example.org"))
        has_ended_well()
        is_whole()
        proves_itself()


def has_ended_well() -> None:
    """One effect for each run, with what was encrypted in it; leases of the dead were taken over."""
    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded"}
    whole = digests.sha256_hex(TOKEN.encode())
    wanted = {each.name: f"{each.name} {whole}" if each.secret else each.name for each in CASES}
    assert Counter(each["what"] for each in effects()) == Counter(wanted.values())
    assert set(Action.objects.exclude(because="expired").values_list("outcome", flat=True)) == {
        "happened"
    }
    dead = {each.name for each in CASES if each.stands[0] == "running"}
    ended = Recovery.objects.filter(ended="recovered").values_list("run__business_key", flat=True)
    assert set(ended) == dead


def is_whole() -> None:
    """Every digest, link, list and blob, and the audit trail with its signed heads."""
    call_command("verify", "--all")
    call_command("audit", "verify", "--all")


def proves_itself() -> None:
    """The evidence of each run holds, also for what happened under the older release."""
    shell = Actor.machine("upgrade")
    for run in Run.objects.select_related("tenant"):
        content = export(About.run(run), actor=shell, whole=True)
        assert verify(content, heads.believed()).faults == [], BY_NAME[run.business_key]
        assert TOKEN not in content.decode()
