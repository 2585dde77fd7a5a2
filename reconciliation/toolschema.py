"""What a schema means, without the words it says to people. Pure.

A tool whose descriptions are translated takes and gives the same as before: nobody has to approve
again what waits.
"""

from typing import Any, Final

Json = Any

WORDS: Final = frozenset({"title", "description", "examples", "$comment"})
# Below these, names are the tool's own, not the schema's: a field may be called "title".
NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})
# What stands below these are values, to be compared as they are.
VALUES: Final = frozenset({"const", "enum", "default", "required"})


def meaning(schema: Json) -> Json:
    """The schema without titles, descriptions, examples and comments, at any depth."""
    if isinstance(schema, list):
        return [meaning(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _member(name, value) for name, value in schema.items() if name not in WORDS}


def _member(name: str, value: Json) -> Json:
    if name in VALUES:
        return value
    if name in NAMED and isinstance(value, dict):
        return {own: meaning(item) for own, item in value.items()}
    return meaning(value)
