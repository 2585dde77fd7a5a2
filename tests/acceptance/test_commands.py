"""The commands as `make` calls them: exit status, and a last line that is one JSON object."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance import thresholds
from tests.acceptance.keyevents import Json

ROOT = Path(__file__).resolve().parents[2]
OF_ALL = {
    *("passed", "error", "groups", "recovery_success_rate", "recovery_seconds", "lost_runs"),
    *("duplicate_submissions", "unapproved_effects", "unexplained_states", "bad_evidence"),
    *("combos_moved", "below", "seconds"),
}


def ran(*arguments: str) -> tuple[int, Any]:
    """Exit status, and what the last line says."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.acceptance", *arguments],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "KEDGE_JOURNAL_DIR"},
        capture_output=True,
        text=True,
        check=False,
    )
    *_, last = ["", *done.stdout.splitlines()]
    assert last, done.stderr[-2000:]
    return done.returncode, json.loads(last)


def test_a_file_of_thresholds_that_is_not_understood_is_the_reason_in_the_json(
    tmp_path: Path,
) -> None:
    bad, out = tmp_path / "bad.yaml", tmp_path / "acceptance.json"
    bad.write_text(thresholds.FILE.read_text().replace("lost_runs: 0", "lost_runs: many"))
    out.write_text('{"passed": true}\n')  # of an earlier time
    status, said = ran(f"--thresholds={bad}", f"--out={out}")
    assert (status, said["passed"], set(said)) == (1, False, OF_ALL)
    assert said["error"].startswith("BadThresholdsError: ")
    assert "$.lost_runs" in said["error"]
    assert json.loads(out.read_text()) == said


def test_a_group_alone_is_replayed_and_counted() -> None:
    status, said = ran("--groups", "--group=duplicate_request")
    passed = said["groups"].pop("duplicate_request")
    assert (status, said.pop("passed"), passed) == (0, True, {"passed": 2, "failed": 0})
    assert set(map(str, said.pop("groups").values())) == {"{'passed': 0, 'failed': 0}"}
    assert set(said.values()) == {0}


@pytest.mark.slow
def test_a_part_of_acceptance_counts_what_it_ran_and_does_not_pass(tmp_path: Path) -> None:
    out = tmp_path / "acceptance.json"
    status, said = ran("--group=refused", "--kill-only=void", f"--out={out}")
    assert json.loads(out.read_text()) == said
    assert (status, said["passed"], said["error"], set(said)) == (1, False, "", OF_ALL)
    missing = [name for name in said["groups"] if name != "refused"]
    assert [sentence.partition(":")[0] for sentence in said["below"]] == [
        *(f"groups.{name}" for name in missing),
        "the crash matrix",
    ]
    assert said["groups"]["refused"] == {"passed": 3, "failed": 0}
    assert said["recovery_success_rate"] == 1.0
    assert 0 < said["recovery_seconds"]["p50"] <= said["recovery_seconds"]["p95"]
    assert {said[name] for name in thresholds.COUNTS} == {0}


def test_every_kept_json_fits_its_schema() -> None:
    status, said = ran("--schemas")
    assert (status, said["passed"], said["wrong"]) == (0, True, 0)
    assert said["files"] > 20


def test_a_walkthrough_keeps_three_real_runs_with_their_key_events(tmp_path: Path) -> None:
    status, said = ran("--walkthrough", f"--folder={tmp_path}")
    assert (status, said["passed"], said["folder"]) == (0, True, str(tmp_path))
    kept = {story: _kept(tmp_path, story) for story in ("success", "refusal", "recovery")}
    assert said["runs"] == {story: document["run_id"] for story, document in kept.items()}
    assert all(document["key_events"] for document in kept.values())
    ends = {story: document["stop_reason"] for story, document in kept.items()}
    assert ends == {"success": "done", "refusal": "rejected", "recovery": "done"}
    assert kept["recovery"]["worker_killed"]
    assert [each["ended"] for each in kept["recovery"]["recoveries"]] == ["recovered"]
    assert all(effect["in_the_world"] == 1 for effect in kept["recovery"]["effects"])


def _kept(folder: Path, story: str) -> dict[str, Json]:
    return dict(json.loads((folder / f"{story}.json").read_text()))
