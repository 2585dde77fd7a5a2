"""What a declaration of an object tool says, read and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.tools import declaring, looking
from agents.tools.errors import BadDeclaration
from agents.tools.looking import Look, looks_of

Json = Any

SCHEMA = Path(__file__).parent / "declaration.schema.json"
LARGEST_BYTES = 8_388_608
# The parameters of every object tool that can stand in a text.
NAMED: Mapping[str, Json] = {
    "required": ["media", "name"],
    "properties": {"media": {"type": "string"}, "name": {"type": "string"}},
}


@dataclass(frozen=True)
class Declared:
    """One tool. `endpoint`, `key_id` and `secret` name variables of the environment."""

    name: str
    version: str
    endpoint: str
    bucket: str
    folder: str
    region: str
    honours_if_none_match: bool
    credential: str
    key_id: str
    secret: str
    largest_bytes: int
    budget_seconds: int
    margin_seconds: int
    patience_seconds: int | None
    looks: tuple[Look, ...]


def load_file(path: Path) -> Declared:
    """The tool that a file declares. Raises `BadDeclaration`."""
    return load(declaring.read_file(path))


def load(given: Mapping[str, Json]) -> Declared:
    """The tool that a document declares. Raises `BadDeclaration`."""
    declaring.refuse_other_form(given, declaring.schema_at(SCHEMA))
    for problem in looking.problems(given, NAMED):
        raise BadDeclaration(f"{given['name']}: {problem}")
    store, credential, limits = given["store"], given["credential"], given.get("limits", {})
    return Declared(
        name=given["name"],
        version=declaring.version_of(given),
        endpoint=store["endpoint_from"],
        bucket=store["bucket"],
        folder=store["folder"],
        region=store.get("region", "us-east-1"),
        honours_if_none_match=store["honours_if_none_match"],
        credential=credential["name"],
        key_id=credential["id_from"],
        secret=credential["secret_from"],
        largest_bytes=given.get("largest_bytes", LARGEST_BYTES),
        budget_seconds=limits.get("budget_seconds", 30),
        margin_seconds=limits.get("margin_seconds", 60),
        patience_seconds=limits.get("patience_seconds"),
        looks=looks_of(given),
    )
