"""A provider's report as it comes, CSV or JSON, read into rows of named texts. Pure.

Strict: what a person would have to guess (two columns of one name, a line with more values than
columns, bytes that are no UTF-8) is refused with its line.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

LARGEST_BYTES: Final = 5 * 1024 * 1024
MOST_LINES: Final = 20_000
MOST_COLUMNS: Final = 200
LONGEST_VALUE: Final = 2_000
DELIMITERS: Final = ",;\t|"
CSV: Final = "text/csv"
JSON: Final = "application/json"
# A JSON report is a list of objects, or an object that has one under one of these names.
LISTS: Final = ("data", "items", "results", "transactions", "records")


class UnreadableReportError(ValueError):
    """The report cannot be read as CSV with a line of names, or as a JSON list of objects."""


@dataclass(frozen=True)
class Row:
    """One line of the report: its number as an editor counts it (JSON: its place, from 1)."""

    number: int
    values: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """The whole report: its media type, the names of its columns in order, and its rows."""

    media: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def read(content: bytes) -> Table:
    """The table of a report's bytes. Raises `UnreadableReportError`, naming line and trouble."""
    if len(content) > LARGEST_BYTES:
        raise UnreadableReportError(
            f"the file has {len(content):,} bytes; up to {LARGEST_BYTES:,} are read. "
            "Cut it into periods."
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableReportError(
            f"byte {error.start + 1:,} is no UTF-8; export the report as UTF-8"
        ) from error
    if "\x00" in text:
        raise UnreadableReportError("it has a NUL character: this is no text file")
    table = _json(text) if text.lstrip()[:1] in ("[", "{") else _csv(text)
    if not table.rows:
        raise UnreadableReportError("it has no line below the names of its columns")
    return table


def _csv(text: str) -> Table:
    first = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = next(reader, [])
        columns = _columns([name.strip() for name in names])
        rows = tuple(_csv_rows(reader, columns))
    except csv.Error as error:
        raise UnreadableReportError(f"line {reader.line_num}: {error}") from error
    return Table(CSV, columns, rows)


def _csv_rows(reader: Any, columns: tuple[str, ...]) -> Iterator[Row]:
    begins = reader.line_num + 1
    for count, values in enumerate(reader, 1):
        number, begins = begins, reader.line_num + 1
        if not any(value.strip() for value in values):
            continue
        _refuse_beyond(count)
        if len(values) > len(columns):
            raise UnreadableReportError(
                f"line {number} has {len(values)} values for {len(columns)} columns"
            )
        padded = [*values, *[""] * (len(columns) - len(values))]
        yield Row(number, _texts(number, dict(zip(columns, padded, strict=True))))


def _json(text: str) -> Table:
    try:
        found = json.loads(text, parse_float=Decimal, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise UnreadableReportError(f"it is no JSON: {error}") from error
    items = _list_of(found)
    _refuse_beyond(len(items))
    rows = []
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise UnreadableReportError(f"entry {number} is no object")
        rows.append(Row(number, _texts(number, dict(_flat(item)))))
    names = dict.fromkeys(name for row in rows for name in row.values)
    return Table(JSON, _columns(list(names)), tuple(rows))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has two members of one name")
    return found


def _list_of(found: Any) -> list[Any]:
    if isinstance(found, list):
        return found
    lists = [found[name] for name in LISTS if isinstance(found.get(name), list)]
    if len(lists) != 1:
        raise UnreadableReportError(f"it is no list of objects, nor has one as {', '.join(LISTS)}")
    return list(lists[0])


def _flat(item: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Members of inner objects by their path: `metadata.order`. Lists are left out."""
    for name, value in item.items():
        path = f"{above}{name}"
        if isinstance(value, dict) and path.count(".") < 3:  # noqa: PLR2004 - deep enough for any
            yield from _flat(value, f"{path}.")
        elif isinstance(value, bool):
            yield path, "true" if value else "false"
        elif isinstance(value, str | int | Decimal):
            yield path, str(value)
        elif value is None:
            yield path, ""


def _columns(names: list[str]) -> tuple[str, ...]:
    if len(names) > MOST_COLUMNS:
        raise UnreadableReportError(f"it has {len(names)} columns; up to {MOST_COLUMNS} are read")
    if not any(names):
        raise UnreadableReportError("its first line names no columns")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UnreadableReportError(f"two columns are called {twice[0]!r}: which is meant?")
    return tuple(names)


def _texts(number: int, values: dict[str, str]) -> dict[str, str]:
    for name, value in values.items():
        if len(value) > LONGEST_VALUE:
            raise UnreadableReportError(
                f"line {number}: {name!r} has {len(value):,} characters; {LONGEST_VALUE:,} are read"
            )
    return {name: value.strip() for name, value in values.items()}


def _refuse_beyond(count: int) -> None:
    if count > MOST_LINES:
        raise UnreadableReportError(
            f"it has more than {MOST_LINES:,} lines. Cut it into periods, one report each."
        )
