"""What a declaration of an SQL tool says, read and checked."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.tools import declaring, looking
from agents.tools.errors import BadDeclaration
from agents.tools.looking import Look, looks_of
from agents.tools.saying import Says, says_of

Json = Any

SCHEMA = Path(__file__).parent / "declaration.schema.json"
ACTION: Final = "kedge_action_id"
KEY: Final = "kedge_key"
GIVEN: Final = {ACTION: "uuid", KEY: "text"}
# What a JSON value may be to become a value of this type.
FITTING: Final = {
    "bigint": {"integer"},
    "boolean": {"boolean"},
    "jsonb": {"array", "boolean", "integer", "object", "string"},
    "numeric": {"integer", "string"},
}
_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class Statement:
    """`sql` as psycopg takes it, with the types of its values; `returns` is column → schema."""

    sql: str
    rows: int
    returns: Mapping[str, Mapping[str, Json]]


@dataclass(frozen=True)
class Declared:
    """One tool. `version` ends with the digest of its declaration."""

    name: str
    version: str
    database: str
    parameters: Mapping[str, Json]
    types: Mapping[str, str]
    says: Says
    statements: tuple[Statement, ...]
    shows: Mapping[str, str]
    budget_seconds: int
    margin_seconds: int
    largest_receipt_bytes: int
    patience_seconds: int | None
    looks: tuple[Look, ...]


def load_file(path: Path) -> Declared:
    """The tool that a file declares. Raises `BadDeclaration`."""
    return load(declaring.read_file(path))


def load(given: Mapping[str, Json]) -> Declared:
    """The tool that a document declares. Raises `BadDeclaration`."""
    declaring.refuse_other_form(given, declaring.schema_at(SCHEMA))
    for problem in _problems(given):
        raise BadDeclaration(f"{given['name']}: {problem}")
    limits, types = given.get("limits", {}), given["types"]
    return Declared(
        name=given["name"],
        version=declaring.version_of(given),
        database=given["database"],
        parameters=given["parameters"],
        types=types,
        says=says_of(given["says"]),
        statements=tuple(
            Statement(_written(it["sql"], types), it["rows"], it.get("returns", {}))
            for it in given["statements"]
        ),
        shows={name: _written(query, types) for name, query in given["shows"].items()},
        budget_seconds=limits.get("budget_seconds", 20),
        margin_seconds=limits.get("margin_seconds", 60),
        patience_seconds=limits.get("patience_seconds"),
        largest_receipt_bytes=limits.get("largest_receipt_bytes", 4096),
        looks=looks_of(given),
    )


def _written(text: str, types: Mapping[str, str]) -> str:
    """The statement with a typed place for each value, so that a value is never read as SQL."""
    every = {**types, **GIVEN}
    return _PLACE.sub(lambda it: f"%({it[1]})s::{every[it[1]]}", text.replace("%", "%%"))


def _problems(given: Mapping[str, Json]) -> Iterator[str]:
    parameters, types = given["parameters"], given["types"]
    returns = [it.get("returns", {}) for it in given["statements"]]
    yield from declaring.problems_of_schemas(
        parameters, *(schema for each in returns for schema in each.values())
    )
    yield from declaring.problems_of_what_is_said(says_of(given["says"]), parameters)
    yield from looking.problems(given, parameters)
    if types.keys() != parameters["properties"].keys():
        yield "types must name the type of every parameter and of nothing else"
    else:
        yield from _of_types(parameters["properties"], types)
    sent = {name for it in given["statements"] for name in _PLACE.findall(it["sql"])}
    shown = {name for query in given["shows"].values() for name in _PLACE.findall(query)}
    unknown, unused = (sent | shown) - types.keys() - GIVEN.keys(), types.keys() - sent
    if unknown:
        yield f"no parameter is called {', '.join(sorted(unknown))}"
    if unused:
        # Somebody would approve a value that is never sent.
        yield f"no statement takes {', '.join(sorted(unused))}"
    names = [name for each in returns for name in each]
    if len(set(names)) != len(names):
        yield "two statements return a column of one name"
    if any(it.get("returns") and it["rows"] != 1 for it in given["statements"]):
        yield "only a statement that touches one row can return it"


def _of_types(properties: Mapping[str, Json], types: Mapping[str, str]) -> Iterator[str]:
    for name, schema in properties.items():
        if schema.get("type") not in FITTING.get(types[name], {"string"}):
            yield f"{name} cannot be passed as {types[name]}"
        if name in GIVEN:
            yield f"{name} is what the engine calls something of its own"
