"""Which parts of a JSON value a schema marks as secret or personal, and whom they are about.

`x-sensitivity` ("secret" or "personal") may stand in any subschema; `x-subject` beside it points to
the value that names the person: "/customer/id" from the root, or "1/id" from the parent of the
marked value (a relative JSON pointer).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from canonical.errors import CanonicalError
from canonical.json import dumps

Json = Any
Path = tuple[str | int, ...]

SECRET: Final = "secret"  # noqa: S105 - the name of a kind
PERSONAL: Final = "personal"
KINDS: Final = (SECRET, PERSONAL)
SENSITIVITY: Final = "x-sensitivity"
SUBJECT: Final = "x-subject"

ALL_OF: Final = ("allOf", "anyOf", "oneOf")
# Whether a branch applies is not asked: what one of them marks is hidden (fail closed).
BRANCHES: Final = ("if", "then", "else")

_RELATIVE = re.compile(r"(\d+)((?:/[^/]*)*)")
# By identity: schemas are declared once and live as long as the process.
_declared: dict[int, tuple[Mapping[str, Json], bool]] = {}


class SensitivityError(ValueError):
    """A schema marks something in a way that cannot be obeyed, so nothing under it is kept."""


@dataclass(frozen=True)
class Mark:
    """One sensitive part of a value; `subject` names the person, "" when nobody is named."""

    path: Path
    kind: str
    subject: str = ""

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return pointer(self.path)


class Change(Protocol):
    """What a marked part is to become."""

    def __call__(self, part: Json, mark: Mark) -> Json: ...


def pointer(path: Path) -> str:
    """A path as a JSON pointer; "" is the root."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def declares(schema: Mapping[str, Json]) -> bool:
    """Whether a schema marks anything at all. Raises `SensitivityError` for a mark it misspells."""
    known = _declared.get(id(schema))
    if known is None or known[0] is not schema:
        known = _declared[id(schema)] = (schema, bool(list(_marks_in(schema))))
    return known[1]


def marks(value: Json, schema: Mapping[str, Json], *, named: bool = True) -> list[Mark]:
    """The sensitive parts of a value, outermost first: what lies below a mark is hidden with it.

    Whether the value fits the schema does not matter: what is marked is marked. `named` False: who
    they are about is not asked, and cannot be missing.
    """
    if not declares(schema):
        return []
    found: dict[Path, tuple[bool, str]] = {}
    for path, kind, subject in _Walk(schema).through(schema, value, ()):
        # Personal wins over secret: it is encrypted alike, and can be erased.
        found[path] = max(found.get(path, (False, "")), (kind == PERSONAL, subject))
    outermost = [
        path for path in found if not any(path[:length] in found for length in range(len(path)))
    ]
    return [
        Mark(
            path,
            PERSONAL if found[path][0] else SECRET,
            _subject(value, path, found[path][1]) if named and found[path][1] else "",
        )
        for path in outermost
    ]


def mapped(value: Json, where: Sequence[Mark], change: Change) -> Json:
    """A copy of a value in which every marked part is what `change` makes of it."""
    for mark in where:
        value = _changed(value, mark.path, partial(change, mark=mark))
    return value


def at(value: Json, path: Path) -> Json:
    """The part of a value at a path. Raises LookupError."""
    for part in path:
        value = value[part]
    return value


def _changed(value: Json, path: Path, change: Callable[[Json], Json]) -> Json:
    if not path:
        return change(value)
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[path[0]] = _changed(value[path[0]], path[1:], change)  # type: ignore[index]
    return copy


def _marks_in(schema: Json) -> Iterator[str]:
    if isinstance(schema, Mapping):
        kind = schema.get(SENSITIVITY)
        # A property may have this name; then its schema stands here.
        if kind is not None and not isinstance(kind, Mapping | bool):
            if kind not in KINDS:
                raise SensitivityError(f"{SENSITIVITY} is {kind!r}; it can be secret or personal")
            yield kind
        for inner in schema.values():
            yield from _marks_in(inner)
    elif isinstance(schema, list | tuple):
        for inner in schema:
            yield from _marks_in(inner)


class _Walk:
    """One walk through a value, along every subschema that may apply to a part of it."""

    def __init__(self, root: Mapping[str, Json]) -> None:
        self._root = root
        # A reference may lead back to where it stands.
        self._seen: set[tuple[int, Path]] = set()

    def through(self, schema: Json, value: Json, path: Path) -> Iterator[tuple[Path, str, str]]:
        if not isinstance(schema, Mapping) or (id(schema), path) in self._seen:
            return
        self._seen.add((id(schema), path))
        if schema.get(SENSITIVITY) in KINDS:
            yield path, schema[SENSITIVITY], str(schema.get(SUBJECT, ""))
        for applied in _applied(schema, self._root):
            yield from self.through(applied, value, path)
        for name, part, inner in _parts_of(schema, value):
            yield from self.through(inner, part, (*path, name))


def _parts_of(schema: Mapping[str, Json], value: Json) -> Iterator[tuple[str | int, Json, Json]]:
    """Name or number, value, and each subschema of every part of a value."""
    if isinstance(value, dict):
        for name, member in value.items():
            for inner in _of_member(schema, name):
                yield name, member, inner
    elif isinstance(value, list):
        for number, item in enumerate(value):
            for inner in _of_item(schema, number):
                yield number, item, inner


def _applied(schema: Mapping[str, Json], root: Mapping[str, Json]) -> Iterator[Json]:
    if "$ref" in schema:
        yield _referred(root, schema["$ref"])
    for word in ALL_OF:
        yield from schema.get(word, ())
    for word in BRANCHES:
        yield schema.get(word)
    yield from schema.get("dependentSchemas", {}).values()


def _of_member(schema: Mapping[str, Json], name: str) -> Iterator[Json]:
    named = name in schema.get("properties", {})
    if named:
        yield schema["properties"][name]
    for pattern, inner in schema.get("patternProperties", {}).items():
        if re.search(pattern, name):
            named = True
            yield inner
    if not named:
        yield schema.get("additionalProperties")
    yield schema.get("unevaluatedProperties")


def _of_item(schema: Mapping[str, Json], number: int) -> Iterator[Json]:
    prefix = schema.get("prefixItems", ())
    yield prefix[number] if number < len(prefix) else schema.get("items")
    yield schema.get("contains")
    yield schema.get("unevaluatedItems")


def _referred(root: Mapping[str, Json], reference: str) -> Json:
    """Only a reference within the schema can be followed."""
    if not reference.startswith("#"):
        raise SensitivityError(f"a schema with marks refers to {reference!r}, outside itself")
    found: Json = root
    try:
        for part in _parts(reference[1:]):
            found = found[int(part)] if isinstance(found, list) else found[part]
    except (LookupError, ValueError) as error:
        raise SensitivityError(f"a schema with marks refers to {reference!r}: not there") from error
    return found


def _parts(text: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _subject(root: Json, path: Path, said: str) -> str:
    """The text that names the person. Raises `SensitivityError` when nobody is named there.

    A field about nobody in particular could never be erased, so it is not guessed.
    """
    relative = _RELATIVE.fullmatch(said)
    start: Path = path[: len(path) - int(relative[1])] if relative else ()
    if relative and int(relative[1]) > len(path):
        raise SensitivityError(f"{SUBJECT} {said!r} of {pointer(path)} lies above the root")
    found = at(root, start)
    try:
        for part in _parts(relative[2] if relative else said):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found if isinstance(found, str) else dumps(found).decode()
    except (LookupError, ValueError, TypeError, CanonicalError) as error:
        raise SensitivityError(
            f"{pointer(path)} is personal, and {SUBJECT} {said!r} names nobody"
        ) from error
