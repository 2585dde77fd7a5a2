"""A combo is registered once, with its facts beside it, and listed with who can run it."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import Error as DatabaseFault
from pytest_django import Settings

from canonical import digests
from checkpoints import registry
from checkpoints.models import Combo, Registration
from execution import processes
from releases.combos import reading, registering
from tenants.actors import Actor
from tests.checkpoints.combos import another
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.people import make_tenant

__all__ = ["engine"]
pytestmark = pytest.mark.django_db(transaction=True)
SHELL = Actor.machine("shell")


def said(*words: str) -> str:
    out = StringIO()
    call_command("combo", *words, stdout=out)
    return out.getvalue()


def test_registering_twice_is_once_and_prints_the_digest(engine: Bench) -> None:
    first, again = said("register", "steps"), said("register", "steps")
    assert first == again
    assert first.strip() == registry.combo_of("steps").hex
    assert Registration.objects.count() == 1


def test_the_commit_is_a_fact_beside_the_combo(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    combo, created = registering.register("steps", actor=SHELL)
    monkeypatch.setattr(registering, "revision", lambda: "f" * 40)
    again, anew = registering.register("steps", actor=SHELL)
    assert (again, created, anew) == (combo, True, True)
    assert Registration.objects.filter(combo=combo).count() == 2


def test_without_git_no_commit_is_known(settings: Settings, tmp_path: Path) -> None:
    settings.BASE_DIR = tmp_path
    assert registering.revision() == ""


def test_a_registration_is_never_changed(engine: Bench) -> None:
    registering.register("steps", actor=SHELL)
    with pytest.raises(DatabaseFault):
        Registration.objects.update(variant="bold")


def test_an_unknown_task_or_variant_is_refused(engine: Bench) -> None:
    with pytest.raises(CommandError, match="unknown task type"):
        said("register", "nothing")
    with pytest.raises(CommandError, match="no variant 'bold'"):
        said("register", "steps", "--variant", "bold")


def test_the_list_says_who_can_run_a_combo_and_how_many_runs_it_has(engine: Bench) -> None:
    engine.start(steps=1)
    listed = said("list", "steps")
    assert "not registered" in listed
    assert "no live worker" in listed
    assert "1 live run" in listed
    registering.register("steps", actor=SHELL)
    processes.started("worker-7", "worker", codes=registry.codes())
    listed = said("list", "steps")
    assert "registered as its own files" in listed
    assert "run by worker-7" in listed


def test_show_and_diff_take_the_beginning_of_a_digest(engine: Bench) -> None:
    old, new = registry.combo_of("steps"), another("steps", "Think twice.")
    names = [each.hex[:10] for each in (old, new)]
    assert '"code": "tests"' in said("show", names[0])
    assert "+Think twice." in said("diff", *names)
    with pytest.raises(CommandError, match="2 combos begin with ''"):
        said("show", "")


def test_a_tenant_sees_what_its_runs_use_and_what_can_be_run_here(engine: Bench) -> None:
    mine = registry.combo_of("steps")
    foreign = other_code("steps")
    assert set(reading.seen_by(engine.tenant)) == {mine}
    run = engine.start(steps=1)
    assert run.combo == mine
    neighbour = make_tenant("neighbour")
    assert foreign not in reading.seen_by(neighbour)


def other_code(task_type: str) -> Combo:
    manifest = b'{"code":"other"}'
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    return Combo.objects.create(task_type=task_type, manifest=manifest, digest=digest)
