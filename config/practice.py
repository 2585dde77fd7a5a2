"""Reads practice.yaml and refuses one that Kedge cannot keep."""

import hashlib
import json
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from config.errors import GroundError

SCHEMA: dict[str, Any] = json.loads(Path(__file__).with_name("practice.schema.json").read_text())


def load(path: Path) -> dict[str, Any]:
    """The practice as a dict of the shape in practice.schema.json. Raises GroundError."""
    try:
        practice = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise GroundError(f"{path} cannot be read, so Kedge does not start: {error}") from error
    problem = best_match(Draft202012Validator(SCHEMA).iter_errors(practice))
    if problem is not None:
        raise GroundError(f"{path} is refused. {_sentence(problem)}")
    return dict(practice)


def digest(path: Path) -> str:
    """SHA-256 of the file's bytes, in hex. Raises GroundError when it is not there."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise GroundError(f"{path} cannot be read, so Kedge does not start: {error}") from error


def _sentence(problem: ValidationError) -> str:
    missing = [name for name in SCHEMA["required"] if problem.validator == "required"]
    named = [str(step) for step in problem.absolute_path] or [
        name for name in missing if f"'{name}'" in problem.message
    ]
    why = [SCHEMA["properties"].get(name, {}).get("description", "") for name in named]
    return " ".join([*(f"`{name}`:" for name in named), f"{problem.message}.", *why]).strip()
