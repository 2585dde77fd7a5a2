"""Chaos in its short form, and proof that it can fail."""

import json
import subprocess
import sys
from pathlib import Path

from tests.chaos.catalogue import KINDS
from tests.chaos.options import ROOT, SHORT, SHORT_RESTARTS
from tests.chaos.rolling import NAME

WRONG = ("duplicates", "lost", "stuck_after_heal", "held_wrongly", "damaged", "stale_fences")


def test_attacked_everywhere_nothing_is_lost_done_twice_or_stuck(tmp_path: Path) -> None:
    """Then the same with an engine that is broken on purpose, which must be noticed."""
    out = tmp_path / "chaos.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos", "--short", "--prove", "--seed", "1", "--out", out],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr}\n{done.stdout}"
    found = json.loads(done.stdout)
    assert found == json.loads(out.read_text()), "one JSON line, and the file"
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
    assert found["faults"][NAME] == found["restarts"] == SHORT_RESTARTS
    assert found["cases_under_restarts"] == 0
    assert found["faults_total"] >= len(SHORT), "restarts do not count"
    assert found["runs"] > 0
    assert found["mutants"] == {"resend_blindly": True, "never_notice": True}


def test_the_short_form_is_of_kinds_that_there_are() -> None:
    assert set(SHORT) <= set(KINDS)
