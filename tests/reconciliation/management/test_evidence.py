"""The command verifies with no database at all, and says in sentences what holds."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from reconciliation.models import Action
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.reconciliation.evidence.conftest import evidence
from tests.reconciliation.evidence.samples import KEY, settled_run

__all__ = ["evidence"]

pytestmark = pytest.mark.django_db(transaction=True)

Json = Any


def offline(*words: str, var: Path) -> subprocess.CompletedProcess[str]:
    """The command on a machine that has neither database nor Redis."""
    nowhere = {
        "DATABASE_URL": "postgresql://nobody@192.0.2.1:1/none?connect_timeout=1",
        "REDIS_URL": "redis://192.0.2.1:1/0",
        "KEDGE_VAR": str(var),
    }
    return subprocess.run(
        [sys.executable, "-W", "ignore", "manage.py", "evidence", "verify", *words],
        cwd=settings.BASE_DIR,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_file_is_verified_with_nothing_but_a_public_key(evidence: Json, tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps(evidence))
    done = offline(str(path), "--public-key", KEY.public.text, var=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "This evidence holds."
    assert "proven      The action hash" in done.stdout
    assert "not proven  Not proven by any file" in done.stdout


def test_without_the_right_key_nothing_is_proven(evidence: Json, tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps(evidence))
    done = offline(str(path), var=tmp_path)
    assert done.returncode == 1
    assert "which you have not named as believed" in done.stdout
    assert "\nproven " not in done.stdout


def test_what_others_wrote_is_not_obeyed_by_the_terminal(evidence: Json, tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps(evidence | {"format": "\x1b[2J"}))
    done = offline(str(path), "--public-key", KEY.public.text, var=tmp_path)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout


def test_an_effect_and_a_run_are_exported_and_hold(
    engine: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = settled_run(engine)
    path = tmp_path / "evidence.json"
    for which in (f"--run={run.pk}", f"--action={Action.objects.get(run=run).pk}"):
        call_command("evidence", "export", which, "-o", str(path))
        call_command("evidence", "verify", str(path))
        assert "This evidence holds." in capsys.readouterr().out
    call_command("evidence", "verify", "--json", str(path))
    assert json.loads(capsys.readouterr().out)["holds"] is True
    assert AuditRow.objects.filter(verb="export_evidence", actor_id="manage.py evidence").exists()


def test_what_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no run"):
        call_command("evidence", "export", "--run", str(uuid4()))
    with pytest.raises(CommandError, match="There is no action"):
        call_command("evidence", "export", "--action", str(uuid4()))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("evidence", "verify", str(tmp_path / "nothing"))
