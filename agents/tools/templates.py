"""Templates with places for values: filled to make a request, and read back from what left. Pure.

A text has places like `{order}`; in JSON a place is `{"$value": "order"}`. Names that begin with $
stand for what the engine gives: $action_id, $attempt_id, $key.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

from agents.tools.errors import BadProposal

Json = Any
Values = Mapping[str, Json]

PLACE: Final = "$value"
GIVEN: Final = ("$action_id", "$attempt_id", "$key")
_PLACE = re.compile(r"\{(\$?[A-Za-z_][A-Za-z0-9_]*)\}")


def names_in_text(template: str) -> list[str]:
    """The names of the places, in order."""
    return _PLACE.findall(template)


def names_in(template: Json) -> Iterator[str]:
    """The names of the places in a JSON template."""
    if is_place(template):
        yield template[PLACE]
    elif isinstance(template, dict | list):
        inner = template.values() if isinstance(template, dict) else template
        for part in inner:
            yield from names_in(part)


def is_place(template: Json) -> bool:
    """Whether this part of a JSON template stands for a value."""
    return isinstance(template, dict) and template.keys() == {PLACE}


def filled_text(template: str, values: Values) -> str:
    """The text with its values. Raises `BadProposal` for one that is missing."""
    return _PLACE.sub(lambda found: as_text(_value(values, found[1])), template)


def filled_path(template: str, values: Values) -> str:
    """As `filled_text`, each value quoted whole, so that none can lead to another place."""

    def quoted(found: re.Match[str]) -> str:
        text = as_text(_value(values, found[1]))
        # What stands for this or the upper folder means it quoted as well.
        if text in {"", ".", ".."}:
            raise BadProposal(f"{found[1]} cannot be part of an address")
        return quote(text, safe="")

    return _PLACE.sub(quoted, template)


def filled(template: Json, values: Values) -> Json:
    """The JSON value; a member whose value is not given is left out."""
    if is_place(template):
        return _value(values, template[PLACE])
    if isinstance(template, dict):
        return {name: filled(part, values) for name, part in template.items() if _has(part, values)}
    if isinstance(template, list):
        return [filled(part, values) for part in template]
    return template


def read_text(template: str, text: str, *, quoted: bool = False) -> list[tuple[str, str]] | None:
    """The values a text was filled with, by name; None when it is not of this template."""
    pieces = _PLACE.split(template)
    # Quoted values hold none of the signs that templates must have between two places.
    value = r"([^/?&=,;:]+)" if quoted else "(.*)"
    form = "".join(re.escape(piece) if n % 2 == 0 else value for n, piece in enumerate(pieces))
    match = re.fullmatch(form, text, re.DOTALL)
    if match is None:
        return None
    found = [unquote(part) if quoted else part for part in match.groups()]
    return list(zip(pieces[1::2], found, strict=True))


def read_json(template: Json, value: Json) -> list[tuple[str, Json]] | None:
    """The values a JSON template was filled with; None when the value is not of this template."""
    if is_place(template):
        return [(template[PLACE], value)]
    if isinstance(template, dict):
        return _read_members(template, value)
    if isinstance(template, list) and isinstance(value, list) and len(template) == len(value):
        return _joined(read_json(*pair) for pair in zip(template, value, strict=True))
    return [] if _same(template, value) else None


def as_text(value: Json) -> str:
    """A text or whole number as text. Raises `BadProposal` for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadProposal("only texts and whole numbers can stand in a text")
    return str(value)


def _read_members(template: Mapping[str, Json], value: Json) -> list[tuple[str, Json]] | None:
    if not isinstance(value, dict) or not value.keys() <= template.keys():
        return None
    missing = template.keys() - value.keys()
    if not all(is_place(template[name]) for name in missing):
        return None
    return _joined(read_json(template[name], part) for name, part in value.items())


def _joined(found: Iterator[list[tuple[str, Json]] | None]) -> list[tuple[str, Json]] | None:
    joined: list[tuple[str, Json]] = []
    for each in found:
        if each is None:
            return None
        joined += each
    return joined


def _same(one: Json, other: Json) -> bool:
    # In Python True is 1; in JSON it is not.
    return type(one) is type(other) and bool(one == other)


def _has(template: Json, values: Values) -> bool:
    return not is_place(template) or template[PLACE] in values


def _value(values: Values, name: str) -> Json:
    try:
        return values[name]
    except KeyError:
        raise BadProposal(f"{name} is not given") from None
