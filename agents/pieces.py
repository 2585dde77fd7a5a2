"""The parts of a manifest that are files beside the graph: schemas, prompts, rules, and variants.

A variant is a folder `variants/<name>` that holds only what differs: prompts of the task under the
same names, `rules.json`, and `combo.json` with another model, settings or version of the data.
"""

from pathlib import Path
from typing import Any, Final

import jsonschema

from agents.errors import BadVariant
from canonical import json as canonical

Json = Any

TASKS = Path(__file__).parent
PROMPT: Final = ".prompt.md"
RULES: Final = "rules.json"
COMBO: Final = "combo.json"
VARIANTS: Final = "variants"
SCHEMA: Final = canonical.loads_object((TASKS / "variant.schema.json").read_bytes())


def text(task_type: str, name: str) -> str:
    """A text file of the task's folder."""
    return (TASKS / task_type / name).read_text(encoding="utf-8")


def document(task_type: str, name: str) -> dict[str, Json]:
    """A JSON file of the task's folder, read as strictly as everything else."""
    value = canonical.loads(text(task_type, name))
    if not isinstance(value, dict):
        raise TypeError(f"{task_type}/{name} must hold a JSON object")
    return value


def prompts(task_type: str, variant: str = "") -> dict[str, str]:
    """Every prompt of a task by the name of the node that uses it: `<node>.prompt.md`."""
    own = _prompts(task_type, "")
    return own | (_prompts(task_type, _folder(variant)) if variant else {})


def rules(task_type: str, variant: str = "") -> dict[str, Json]:
    """The rules of a task, or those that its variant has in their place."""
    return document(task_type, _of_variant(task_type, variant, RULES) or RULES)


def changes(task_type: str, variant: str = "") -> dict[str, Json]:
    """What `combo.json` of a variant says: `model`, `settings`, `versions`. Raises `BadVariant`."""
    name = _of_variant(task_type, variant, COMBO)
    if not name:
        return {}
    said = document(task_type, name)
    try:
        jsonschema.validate(said, SCHEMA)
    except jsonschema.ValidationError as error:
        raise BadVariant(f"{task_type}/{name} at {error.json_path}: {error.message}") from error
    return said


def variants(task_type: str) -> list[str]:
    """The names of a task's variants. Raises `BadVariant` for one with a file that says nothing."""
    found = sorted((TASKS / task_type / VARIANTS).glob("*/"))
    for folder in found:
        _check(task_type, folder)
    return [folder.name for folder in found]


def is_carried(name: str) -> bool:
    """Whether a combo carries a file of its task's folder by content: then it is no code."""
    path = Path(name)
    if len(path.parts) == 1:
        return name.endswith(PROMPT) or name == RULES
    return path.parts[0] == VARIANTS


def _check(task_type: str, folder: Path) -> None:
    """A prompt that no node of the task asks with would change nothing, and nobody would notice."""
    known = {RULES, COMBO, *(f"{name}{PROMPT}" for name in _prompts(task_type, ""))}
    odd = sorted(file.name for file in folder.iterdir() if file.name not in known)
    if odd:
        named = ", ".join(sorted(known))
        raise BadVariant(f"{task_type}/{_folder(folder.name)} has {odd[0]}; it may have: {named}")


def _prompts(task_type: str, folder: str) -> dict[str, str]:
    found = sorted((TASKS / task_type / folder).glob(f"*{PROMPT}"))
    return {file.name.removesuffix(PROMPT): file.read_text(encoding="utf-8") for file in found}


def _of_variant(task_type: str, variant: str, name: str) -> str:
    """A file of the variant below its task's folder; "" when the variant does not have it."""
    path = f"{_folder(variant)}/{name}"
    return path if variant and (TASKS / task_type / path).is_file() else ""


def _folder(variant: str) -> str:
    return f"{VARIANTS}/{variant}"
