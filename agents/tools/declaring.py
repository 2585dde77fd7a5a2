"""Reads declarations: the file, its published schema, and what must hold of every declared tool."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from agents.tools.errors import BadDeclaration
from agents.tools.saying import Says
from canonical import sensitivity
from canonical.digests import tagged
from canonical.errors import CanonicalError
from canonical.json import loads_object

Json = Any


def read_file(path: Path) -> dict[str, Json]:
    """The document in a file. Raises `BadDeclaration`."""
    try:
        return loads_object(path.read_bytes())
    except CanonicalError as error:
        raise BadDeclaration(f"{path.name}: {error}") from error


@cache
def schema_at(path: Path) -> dict[str, Json]:
    """A published schema of declarations."""
    read: dict[str, Json] = json.loads(path.read_text(encoding="utf-8"))
    return read


def refuse_other_form(given: Mapping[str, Json], schema: Mapping[str, Json]) -> None:
    """Raises `BadDeclaration` with what does not fit the schema."""
    found = jsonschema.Draft202012Validator(schema).iter_errors(given)
    error = jsonschema.exceptions.best_match(found)
    if error is not None:
        raise BadDeclaration(f"{error.json_path}: {error.message}")


def version_of(given: Mapping[str, Json]) -> str:
    """The declared version and the digest of all that the declaration says of what is done."""
    done = {name: said for name, said in given.items() if name != "places"}
    return f"{given['version']}-{tagged('tool-declaration', done)[:16]}"


def problems_of_schemas(*schemas: Mapping[str, Json]) -> Iterator[str]:
    """What makes a schema none."""
    for schema in schemas:
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
            sensitivity.declares(schema)
        except (jsonschema.SchemaError, sensitivity.SensitivityError) as error:
            yield f"a schema in it is none: {str(error).splitlines()[0]}"


def problems_of_texts(parameters: Mapping[str, Json], names: set[str]) -> Iterator[str]:
    """What keeps these parameters from standing in a text."""
    required = {*parameters.get("required", ())}
    for name in sorted(names & parameters["properties"].keys()):
        schema = parameters["properties"][name]
        if name not in required or schema.get("type") not in {"string", "integer"}:
            yield f"{name} stands in a text, so it must be required and a string or an integer"


def problems_of_what_is_said(says: Says, parameters: Mapping[str, Json]) -> Iterator[str]:
    """What keeps people from reading what it says."""
    unknown = says.names() - parameters["properties"].keys()
    if unknown:
        yield f"what it says about itself names {', '.join(sorted(unknown))}"
    if says.names() & sensitive(parameters):
        yield "something sensitive stands in what people read"
    yield from problems_of_texts(parameters, says.names())


def sensitive(parameters: Mapping[str, Json]) -> set[str]:
    """The parameters in which something is marked."""
    properties = parameters["properties"]
    return {name for name, schema in properties.items() if sensitivity.declares(schema)}
