"""`manage.py fixtures`: it names the field, and its exit status says whether all went as kept."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from execution.fixtures import documents
from execution.fixtures.replaying import Setting
from tests.engine.turns import Bench
from tests.execution.fixtures.conftest import replays

__all__ = ["replays"]

REPORT = "normal/a-report-walks-the-history.json"


def _replay(*options: object) -> tuple[int, str, str]:
    out, said = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command("fixtures", "replay", *map(str, options), stdout=out, stderr=said)
    except SystemExit as ended:
        status = int(ended.code or 0)
    return status, out.getvalue(), said.getvalue()


def _changed(tmp_path: Path, change: Any) -> Path:
    document = documents.read(documents.folder() / REPORT)
    change(document)
    return documents.write(document, tmp_path)


def test_a_mutilated_file_is_found_and_named(replays: Setting, tmp_path: Path) -> None:
    path = _changed(tmp_path, lambda it: it["output"]["state"]["summary"].update(commits=3))
    status, out, said = _replay("--file", path, "--json")
    assert status == 1
    assert "[1/1] normal a-report-walks-the-history: NOT as kept" in said
    assert "output.state.summary.commits: 3 ≠ 2" in said
    (told,) = json.loads(out)["fixtures"]
    assert told["differences"] == [
        {"path": "output.state.summary.commits", "kept": "3", "now": "2"}
    ]


def test_another_combo_is_named_accepted_or_recorded_anew(replays: Setting, tmp_path: Path) -> None:
    path = _changed(tmp_path, lambda it: it["combo"].update(rules="0" * 16))
    status, _, said = _replay("--file", path)
    assert status == 1
    assert "combo.rules: 0000000000000000 ≠ " in said
    assert "pinned to another combo: accept with --combo-moved, or --rerecord" in said
    status, _, said = _replay("--file", path, "--combo-moved")
    assert (status, "1 parts of its combo have moved" in said) == (0, True)
    assert _replay("--folder", tmp_path, "--group", "normal", "--rerecord")[0] == 0
    assert path.read_bytes() == (documents.folder() / REPORT).read_bytes()


def test_what_cannot_be_replayed_is_a_sentence(replays: Setting, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There are no fixtures in"):
        _replay("--folder", tmp_path)
    shutil.copy(documents.folder() / REPORT, tmp_path / "x.json")
    (tmp_path / "x.json").write_text((tmp_path / "x.json").read_text().replace("normal", "lucky"))
    with pytest.raises(CommandError, match=r"no fixture of this format.*\$\.group"):
        _replay("--file", tmp_path / "x.json")
    with pytest.raises(CommandError, match="Name one tenant with --tenant; there are: acme"):
        _replay("--tenant", "nobody")
    with pytest.raises(CommandError, match="There is no run"):
        call_command("fixtures", "record", "0" * 32, "--group", "normal", "--name", "x")


@pytest.mark.django_db(transaction=True)
def test_a_run_is_kept_from_the_command_line(engine: Bench, tmp_path: Path) -> None:
    run = engine.start(steps=1)
    engine.turn()
    out = io.StringIO()
    named = ("--group", "normal", "--name", "counts", "--folder", str(tmp_path))
    call_command("fixtures", "record", str(run.pk), *named, stdout=out)
    path = tmp_path / "normal/counts.json"
    assert out.getvalue().strip() == str(path)
    kept = documents.read(path)
    assert kept["task_type"] == "steps"
    assert kept["output"]["state"]["thought"] == "1 steps"
    with pytest.raises(CommandError, match=r"does not fit at \$\.name"):
        call_command("fixtures", "record", str(run.pk), *named[:3], "No Name", *named[4:])
