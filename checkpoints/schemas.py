"""Checks values against JSON Schemas; a schema's validator is made once, not at every step."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

# By identity: schemas are declared once and live as long as the process. Each is kept beside its
# validator, so that its id is never given to another.
_made: dict[int, tuple[Mapping[str, Any], Draft202012Validator]] = {}


def check(value: object, schema: Mapping[str, Any]) -> None:
    """Raises `jsonschema.ValidationError` (the most telling one) when the value does not fit."""
    known = _made.get(id(schema))
    if known is None or known[0] is not schema:
        Draft202012Validator.check_schema(schema)
        known = _made[id(schema)] = (schema, Draft202012Validator(schema))
    error = best_match(known[1].iter_errors(value))
    if error is not None:
        raise error
