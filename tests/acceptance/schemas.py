"""Every kept JSON fits its schema: fixtures, declarations, rules, practice, thresholds, the schemas."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from canonical import json as canonical
from execution.fixtures import documents
from tests.config.metrics.grafana import unread

Json = Any
Check = Callable[[Path, Json], Iterator[str]]

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".venv", "var", "node_modules", ".git"}
META = Draft202012Validator.META_SCHEMA


def check(root: Path = ROOT) -> tuple[int, list[str]]:
    """How many files were read, and a sentence for each that does not fit."""
    files = sorted(_kept(root))
    return len(files), [
        f"{path.relative_to(root)}: {said}" for path in files for said in _of(path, root)
    ]


def _kept(root: Path) -> Iterator[Path]:
    yield from (root / name for name in ("practice.yaml", "acceptance.yaml"))
    for path in root.rglob("*.json"):
        parts = path.relative_to(root).parts
        if not any(part in NOT_OURS or part.endswith("_cache") for part in parts):
            yield path


def _of(path: Path, root: Path) -> Iterator[str]:
    name = path.relative_to(root)
    try:
        text = path.read_bytes()
        value = yaml.safe_load(text) if path.suffix == ".yaml" else canonical.loads(text)
    except (ValueError, OSError, yaml.YAMLError) as error:
        yield f"cannot be read: {error}"
        return
    for pattern, checks in RULES.items():
        if name.match(pattern):
            yield from checks(path, value)
            return
    if name.parts[0] != "tests":
        yield "no schema is known for it; add one to tests/acceptance/schemas.py"


def _fits(schema: str) -> Check:
    def fits(_path: Path, value: Json) -> Iterator[str]:
        yield from _problem(json.loads((ROOT / schema).read_text()), value)

    return fits


def _fixture(path: Path, value: Json) -> Iterator[str]:
    yield from _problem(documents.schema(), value)
    if path.read_bytes() != documents.text(value):
        yield "is not written as `manage.py fixtures` writes it"
    if path.parent.name != value.get("group") or path.stem != value.get("name"):
        yield "stands in another place than its group and name say"


def _schema(_path: Path, value: Json) -> Iterator[str]:
    yield from _problem(META, value)


def _schemas(_path: Path, value: Json) -> Iterator[str]:
    for name, each in value.items():
        yield from (f"{name}: {said}" for said in _problem(META, each))


def _declaration(_path: Path, value: Json) -> Iterator[str]:
    schema = ROOT / f"agents/tools/{value.get('kind')}/declaration.schema.json"
    if schema.exists():
        yield from _problem(json.loads(schema.read_text()), value)
    else:
        yield f"is of no kind of tool: {value.get('kind')}"


def _dashboard(_path: Path, value: Json) -> Iterator[str]:
    yield from (f"Grafana does not read {member}" for member in unread(value))


def _problem(schema: Json, value: Json) -> Iterator[str]:
    found = best_match(Draft202012Validator(schema).iter_errors(value))
    if found is not None:
        yield f"does not fit at {found.json_path}: {found.message}"


# The first that matches counts.
RULES: dict[str, Check] = {
    "fixtures/*/*.json": _fixture,
    "*.schema.json": _schema,
    "*.schemas.json": _schemas,
    "agents/*/variants/*/combo.json": _fits("agents/variant.schema.json"),
    "agents/*/rules.json": _fits("docs/schemas/rules.schema.json"),
    "agents/*/declared/*.json": _declaration,
    "tests/servers/declarations/*.json": _declaration,
    "docs/grafana/*.json": _dashboard,
    "practice.yaml": _fits("config/practice.schema.json"),
    "acceptance.yaml": _fits("docs/schemas/acceptance.schema.json"),
}
