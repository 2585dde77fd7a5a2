"""A variant says only what differs, and what it cannot mean is refused."""

import shutil
from pathlib import Path

import pytest

from agents import pieces, registry
from agents.errors import BadVariant
from canonical import json as canonical

TASK = "fleet_change"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty variant, in a house of its own."""
    shutil.copytree(pieces.TASKS / TASK, tmp_path / TASK)
    monkeypatch.setattr(pieces, "TASKS", tmp_path)
    made = tmp_path / TASK / pieces.VARIANTS / "bold"
    made.mkdir(parents=True)
    return made


def bold() -> dict[str, object]:
    return registry.manifest(TASK, "bold")


def test_a_variant_with_no_file_is_the_task_itself(folder: Path) -> None:
    assert bold() == registry.manifest(TASK)
    assert registry.variants(TASK) == ["bold", "hasty"]


def test_only_the_prompt_that_a_variant_has_differs(folder: Path) -> None:
    (folder / "write_summary.prompt.md").write_text("Be bold.")
    own = registry.manifest(TASK)
    assert bold() == own | {"prompts": {**own["prompts"], "write_summary": "Be bold."}}


def test_its_rules_stand_in_the_place_of_the_tasks(folder: Path) -> None:
    (folder / "rules.json").write_text('{"rules_schema": 2, "rules": []}')
    assert bold() == registry.manifest(TASK) | {"rules": {"rules_schema": 2, "rules": []}}


def test_it_may_name_another_model_settings_and_data(folder: Path) -> None:
    said = {
        "model": "large-2",
        "settings": {"deadline_seconds": {"build": 9}, "model_answer_seconds": 5},
        "versions": {"data": "2"},
    }
    (folder / "combo.json").write_bytes(canonical.dumps(said))
    own, made = registry.manifest(TASK), registry.manifest(TASK, "bold")
    assert made["model"] == "large-2 at stand-in"
    assert made["versions"] == own["versions"] | {"data": "2"}
    assert made["settings"]["model_answer_seconds"] == 5
    limits = own["settings"]["deadline_seconds"]
    assert made["settings"]["deadline_seconds"] == limits | {"build": 9}


@pytest.mark.parametrize("name", ["write_sumary.prompt.md", "graph.py", "state.schema.json"])
def test_a_file_that_would_change_nothing_is_refused(folder: Path, name: str) -> None:
    (folder / name).touch()
    with pytest.raises(BadVariant, match=name):
        registry.variants(TASK)


@pytest.mark.parametrize(
    "said",
    ["{}", '{"code": "x"}', '{"versions": {"ruff": "1"}}', '{"settings": {"deadline": 1}}', "[]"],
)
def test_a_combo_file_says_nothing_about_code(folder: Path, said: str) -> None:
    (folder / "combo.json").write_text(said)
    with pytest.raises((BadVariant, TypeError)):
        bold()
