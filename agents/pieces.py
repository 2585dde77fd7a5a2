"""The parts of a manifest that are files beside the graph: schemas, prompts, rules."""

from pathlib import Path
from typing import Any

from canonical import json as canonical

Json = Any

TASKS = Path(__file__).parent


def text(task_type: str, name: str) -> str:
    """A text file of the task's folder."""
    return (TASKS / task_type / name).read_text(encoding="utf-8")


def document(task_type: str, name: str) -> dict[str, Json]:
    """A JSON file of the task's folder, read as strictly as everything else."""
    value = canonical.loads(text(task_type, name))
    if not isinstance(value, dict):
        raise TypeError(f"{task_type}/{name} must hold a JSON object")
    return value


def prompts(task_type: str) -> dict[str, str]:
    """Every prompt of a task by the name of the node that uses it: `<node>.prompt.md`."""
    found = sorted((TASKS / task_type).glob("*.prompt.md"))
    return {file.name.removesuffix(".prompt.md"): text(task_type, file.name) for file in found}
