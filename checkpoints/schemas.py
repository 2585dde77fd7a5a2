"""Checks values against JSON Schemas; a schema's validator is made once, not at every step."""

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from canonical import sensitivity
from canonical.redaction import Hidden, Known

# Whose messages quote names of members, never what stands there.
ONLY_NAMES: Final = ("required", "additionalProperties", "unevaluatedProperties")

# By identity: schemas are declared once and live as long as the process. Each is kept beside its
# validator, so that its id is never given to another.
_made: dict[int, tuple[Mapping[str, Any], Draft202012Validator]] = {}


def check(value: object, schema: Mapping[str, Any]) -> None:
    """Raises `jsonschema.ValidationError` (the most telling one) when the value does not fit.

    Its message quotes nothing that the schema marks as secret or personal.
    """
    known = _made.get(id(schema))
    if known is None or known[0] is not schema:
        Draft202012Validator.check_schema(schema)
        known = _made[id(schema)] = (schema, Draft202012Validator(schema))
    error = best_match(known[1].iter_errors(value))
    if error is not None:
        raise _quoting_nothing_sensitive(error, value, schema)


def _quoting_nothing_sensitive(
    error: ValidationError, value: object, schema: Mapping[str, Any]
) -> ValidationError:
    where, at = sensitivity.marks(value, schema, named=False), tuple(error.absolute_path)
    if not where:
        return error
    said = error.message
    for mark in where:
        # What is wrong may be the marked part, a part of it, or something that holds it.
        above = mark.path[: len(at)] == at and error.validator not in ONLY_NAMES
        if above or at[: len(mark.path)] == mark.path:
            said = f"this does not satisfy {error.validator!r}; what stands there is {mark.kind}"
    known = Known(Hidden(sensitivity.at(value, mark.path), f"({mark.kind})") for mark in where)
    # A new one: the old one carries the value itself, for whoever prints it whole.
    return ValidationError(
        str(known.text(said)), validator=str(error.validator), path=error.absolute_path
    )
