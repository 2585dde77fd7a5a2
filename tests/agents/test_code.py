"""The digest of a task's code changes with what the task runs, and with nothing else."""

import shutil
from pathlib import Path

import pytest

from agents.code import HOUSE, code_digest, code_files
from agents.tools.git.tool import GitPush

TOOLS = (GitPush(lambda _tenant, name: name),)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    shutil.copytree(HOUSE / "agents", tmp_path / "agents")
    return tmp_path


def digest(house: Path, task_type: str = "fleet_change") -> str:
    return code_digest(task_type, TOOLS, house=house)


def test_the_same_files_have_the_same_digest_anywhere(house: Path) -> None:
    assert digest(house) == digest(HOUSE)
    assert digest(house) != digest(house, "repository_report")


@pytest.mark.parametrize(
    "name",
    [
        "agents/fleet_change/changing.py",
        "agents/fleet_change/answer.schemas.json",
        "agents/fleet_change/state.schema.json",
        "agents/gitobjects.py",
        "agents/model.py",
        "agents/tools/__init__.py",
        "agents/tools/deadline.py",
        "agents/tools/git/pushing.py",
    ],
)
def test_every_file_the_task_runs_counts(house: Path, name: str) -> None:
    before = digest(house)
    with (house / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert digest(house) != before


@pytest.mark.parametrize(
    "name",
    ["agents/fleet_change/write_message.prompt.md", "agents/fleet_change/rules.json",
     "agents/fleet_change/variants/hasty/write_message.prompt.md",
     "agents/fleet_change/variants/bold/combo.json",
     "agents/repository_report/walking.py", "agents/repositories.py", "agents/fleet.py",
     "agents/registry.py", "agents/fleet_change/__pycache__/log.cpython-311.pyc"],
)  # fmt: skip
def test_what_a_combo_carries_or_the_task_does_not_run_does_not_count(
    house: Path, name: str
) -> None:
    before = digest(house)
    (house / name).parent.mkdir(exist_ok=True)
    with (house / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert digest(house) == before


def test_a_new_file_counts(house: Path) -> None:
    before = digest(house)
    (house / "agents/fleet_change/new.py").touch()
    assert digest(house) != before


def test_a_report_runs_no_tool() -> None:
    assert not any("/tools/" in name for name in code_files("repository_report"))
