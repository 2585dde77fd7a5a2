"""Two combos side by side: their versions in a table, and what differs in their texts. Pure.

A manifest is taken apart into files, so that a prompt is compared line by line like any text, and
rules and schemas as the JSON that somebody would write. A file differs exactly when its diff is not
empty.
"""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from canonical.diffs import FileDiff, Row, parse_unified
from canonical.sides import Pair, pairs

Json = Any

NOWHERE: Final = "/dev/null"
NO_NEWLINE: Final = "\\ No newline at end of file\n"
CONTEXT_LINES: Final = 3
DIGITS: Final = 12  # of a digest, as elsewhere


class Version(NamedTuple):
    """One version by its name, as the left and the right combo have it; "" where one has none."""

    name: str
    left: str
    right: str

    @property
    def differs(self) -> bool:
        return self.left != self.right


class Hunk(NamedTuple):
    """A stretch of lines, one below the other and side by side."""

    old_start: int
    new_start: int
    section: str
    rows: tuple[Row, ...]
    beside: list[Pair]


@dataclass(frozen=True)
class File:
    """One text that differs."""

    diff: FileDiff
    hunks: list[Hunk]


@dataclass(frozen=True)
class Compared:
    """What two combos have in common and what not. `same`: the names of the texts that are equal."""

    versions: list[Version]
    files: list[File]
    same: list[str]

    @property
    def differing(self) -> list[Version]:
        return [version for version in self.versions if version.differs]


def compare(left: Mapping[str, Json], right: Mapping[str, Json]) -> Compared:
    """Compare two manifests."""
    old, new = texts(left), texts(right)
    same = [name for name in sorted(old) if old[name] == new.get(name)]
    found = parse_unified(unified(left, right))
    return Compared(versions(left, right), [File(each, hunks(each)) for each in found], same)


def unified(left: Mapping[str, Json], right: Mapping[str, Json]) -> str:
    """What differs in the texts of two manifests, as one unified diff; "" when nothing does."""
    old, new = texts(left), texts(right)
    return "".join(
        line
        for name in sorted(old.keys() | new.keys())
        for line in of_file(name, old.get(name), new.get(name))
    )


def texts(manifest: Mapping[str, Json]) -> dict[str, str]:
    """The texts of a manifest as files by name: prompts, rules, settings, schemas."""
    files = {f"prompts/{name}.md": text for name, text in _part(manifest, "prompts").items()}
    for name in ("rules", "settings", "input_schema"):
        if name in manifest:
            files[f"{name}.json"] = _written(manifest[name])
    for number, schema in _part(manifest, "state_schemas").items():
        files[f"state_schemas/{number}.json"] = _written(schema)
    for name, tool in _part(manifest, "tools").items():
        files[f"tools/{name}.json"] = _written(tool)
    return files


def versions(left: Mapping[str, Json], right: Mapping[str, Json]) -> list[Version]:
    """All that has a version, model and data first, the code last."""
    old, new = dict(_versions(left)), dict(_versions(right))
    names = [*old, *(name for name in new if name not in old)]
    return [Version(name, old.get(name, ""), new.get(name, "")) for name in names]


def _versions(manifest: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    yield "model", str(manifest.get("model", ""))
    for name, version in sorted(_part(manifest, "versions").items()):
        yield name, str(version)
    for name, tool in sorted(_part(manifest, "tools").items()):
        yield name, str(tool.get("version", "")) if isinstance(tool, dict) else str(tool)
    yield "state schema", str(manifest.get("state_schema", ""))
    for name in ("code", "practice", "lock"):
        yield name, str(manifest.get(name, ""))[:DIGITS]


def _part(manifest: Mapping[str, Json], name: str) -> dict[str, Json]:
    part = manifest.get(name)
    return part if isinstance(part, dict) else {}


def _written(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def of_file(name: str, old: str | None, new: str | None) -> Iterator[str]:
    """The lines of one file's unified diff; none when nothing differs. None: the file is not there."""
    before = NOWHERE if old is None else f"a/{name}"
    after = NOWHERE if new is None else f"b/{name}"
    for line in difflib.unified_diff(
        _lines(old or ""), _lines(new or ""), before, after, n=CONTEXT_LINES
    ):
        yield line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}"


def _lines(text: str) -> list[str]:
    """At line feeds alone: what else Python takes for the end of a line is a character of it."""
    *whole, rest = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([rest] if rest else [])]


def hunks(file: FileDiff) -> list[Hunk]:
    """The stretches of a file's diff, both ways round."""
    return [
        Hunk(each.old_start, each.new_start, each.section, each.rows, list(pairs(each.rows)))
        for each in file.hunks
    ]
