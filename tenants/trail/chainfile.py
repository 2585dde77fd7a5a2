"""A whole chain as a file of JSON lines, and the proof of such a file without a database. Pure.

First a line that says whose chain it is and how many signed heads follow, then these, then every
link with its row, and a last line without which the file is cut off.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tenants.signing import Believed
from tenants.trail.seals import Problem, Sealed
from tenants.trail.verifying import Report, verify

FORMAT: Final = "kedge-audit/1"

Json = Any


class BadChainFile(ValueError):
    """This is no exported audit chain."""


def lines(
    whose: Mapping[str, Json], heads: Sequence[Mapping[str, Json]], links: Iterable[Sealed]
) -> Iterator[str]:
    """The lines of a file. `whose`: installation, tenant (id or None), slug, at."""
    yield _line({"format": FORMAT, "heads": len(heads), **whose})
    for head in heads:
        yield _line({"head": head})
    count = 0
    for link in links:
        count += 1
        yield _line({"link": _as_json(link)})
    yield _line({"end": count})


def verify_lines(text: Iterable[str], believed: Believed) -> tuple[dict[str, Json], Report]:
    """Whose chain a file holds, and all that is wrong with it. Raises BadChainFile."""
    found = _read(text)
    first = next(found, None)
    if not isinstance(first, dict) or first.get("format") != FORMAT:
        raise BadChainFile(f"This is no audit chain of the format {FORMAT}.")
    heads = [_member(next(found, None), "head") for _ in range(int(first["heads"]))]
    ends: list[int] = []
    report = verify(
        _links(found, ends), heads, believed, whose=(first["installation"], first["tenant"])
    )
    if ends != [report.links]:
        report.problems.append(Problem(report.end.position, 0, _cut_off(report.end.position)))
    return first, report


def _read(text: Iterable[str]) -> Iterator[Json]:
    for number, line in enumerate(text, start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise BadChainFile(f"Line {number} is not JSON: {error}") from error


def _links(found: Iterator[Json], ends: list[int]) -> Iterator[Sealed]:
    for line in found:
        if ends:
            raise BadChainFile("There is more after the last line.")
        if isinstance(line, dict) and "end" in line:
            ends.append(line["end"])
        else:
            yield _sealed(_member(line, "link"))


def _member(line: Json, name: str) -> dict[str, Json]:
    if not isinstance(line, dict) or not isinstance(line.get(name), dict):
        raise BadChainFile(f"A line with a {name} is missing.")
    member: dict[str, Json] = line[name]
    return member


def _as_json(link: Sealed) -> dict[str, Json]:
    return {
        "position": link.position,
        "previous": link.previous.hex(),
        "content": link.content.hex(),
        "digest": link.digest.hex(),
        "row": dict(link.row) if link.row is not None else None,
    }


def _sealed(link: Mapping[str, Json]) -> Sealed:
    try:
        return Sealed(
            position=int(link["position"]),
            previous=bytes.fromhex(link["previous"]),
            digest=bytes.fromhex(link["digest"]),
            content=bytes.fromhex(link["content"]),
            row=link["row"],
        )
    except (LookupError, TypeError, ValueError) as error:
        raise BadChainFile(f"A link cannot be read: {error!r}") from error


def _cut_off(position: int) -> str:
    return f"The file does not end where it says: after position {position} something is missing."


def _line(value: Mapping[str, Json]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False) + "\n"
