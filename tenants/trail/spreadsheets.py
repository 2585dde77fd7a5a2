"""The audit trail as CSV or JSON, safe to open: no cell is a formula, hidden characters are named."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol

from canonical.display import visible
from canonical.redaction import Redacted
from tenants.keys import hiding
from tenants.models import AuditRow
from tenants.trail.rows import as_json

COLUMNS: Final = ("at", "who", "kind", "id", "verb", "subject", "detail", "row", "position")
# What makes a spreadsheet compute, also behind blanks and in the wide forms some of them accept.
FORMULA: Final = "=+-@|%\t\r\n\uff1d\uff0b\uff0d\uff20"

Json = Any


class _Line(Protocol):
    def writerow(self, row: Iterable[str], /) -> Any: ...


def as_csv(rows: Iterable[AuditRow]) -> Iterator[Redacted]:
    """Lines of RFC 4180 with a heading; every cell in quotes."""
    yield hiding.text(line(COLUMNS))
    for row in rows:
        yield hiding.text(line(_cells(row)))


def as_json_lines(rows: Iterable[AuditRow]) -> Iterator[Redacted]:
    """One JSON object per line, as the row was sealed, with its position in the chain."""
    for row in rows:
        told = {**as_json(row), "detail": _detail(row), "position": _position(row)}
        yield hiding.text(json.dumps(told, sort_keys=True, ensure_ascii=False) + "\n")


Export = Callable[[Iterable[AuditRow]], Iterator[Redacted]]
FORMATS: Final[dict[str, tuple[str, Export]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/x-ndjson", as_json_lines),
}


def line(cells: Iterable[str]) -> str:
    """One line of RFC 4180, every cell in quotes and safe to open."""
    writer: _Line = csv.writer(_Echo(), quoting=csv.QUOTE_ALL)
    return str(writer.writerow([safe(cell) for cell in cells]))


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula, and that shows what it holds."""
    shown = visible(cell)
    return f"'{shown}" if shown.lstrip().startswith(tuple(FORMULA)) else shown


def _cells(row: AuditRow) -> tuple[str, ...]:
    told = as_json(row)
    return (
        told["at"],
        row.actor_name,
        row.actor_kind,
        row.actor_id,
        row.verb,
        row.subject,
        json.dumps(_detail(row), sort_keys=True, ensure_ascii=False) if row.detail else "",
        str(row.audit_id),
        str(_position(row) or ""),
    )


def _detail(row: AuditRow) -> Json:
    return hiding.value(as_json(row)["detail"]).value


def _position(row: AuditRow) -> int | None:
    seal = getattr(row, "auditseal", None)
    return seal.position if seal is not None else None


class _Echo:
    """A file that hands back what is written: the writer's line."""

    def write(self, text: str) -> str:
        return text
