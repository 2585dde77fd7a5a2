"""The five stories in their short form, and proof that they can fail."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.config.backups import records
from tests.ground import ROOT

STORIES = {"base_backup", "dump", "disk_snapshot", "lossy_promotion", "clone"}
SHORT = [
    "--rounds",
    "1",
    "--runs",
    "6",
    "--legs",
    "4",
    "--before",
    "6",
    "--behind",
    "8",
    "--workers",
    "1",
]


def told(tmp_path: Path, *options: str) -> tuple[int, dict[str, dict[str, int]], str]:
    """Exit status, figures, and what was said on the way."""
    dump = records.dumped(tmp_path / "record.dump")
    out = tmp_path / "restores.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.restores", *SHORT, "--dump", dump, "--out", out, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.exists(), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found == json.loads(out.read_text()), "one JSON line, and the file"
    return done.returncode, found, done.stderr


@pytest.mark.django_db(transaction=True)
def test_a_record_older_than_its_world_sends_nothing_twice(tmp_path: Path) -> None:
    status, found, said = told(tmp_path)
    assert status == 0, said
    assert set(found) == STORIES
    for figures in found.values():
        assert figures["missing"] == figures["listed"] > 0, said
        assert figures["duplicates"] == 0, said


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_what_is_broken_on_purpose_is_found(tmp_path: Path) -> None:
    status, _, said = told(tmp_path, "--broken")
    assert status == 0, said
