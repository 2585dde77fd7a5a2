"""The matrix: a row for each open problem of a task type, a column for each of its newest combos.

A constant number of statements, and bounded: what does not fit is counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from checkpoints.models import Combo
from execution.problems import overview
from execution.problems.overview import Line
from execution.problems.standing import Tally
from execution.problems.stuck import STUCK
from releases.combos import differences
from releases.combos import reading as combos
from releases.combos.differences import Differences
from releases.matrix import beginnings
from tenants import moments
from tenants.models import Tenant

ROWS: Final = 50
MOST_COMBOS: Final = 6
OFFERED: Final = 30


@dataclass(frozen=True)
class Column:
    """One combo, since when it is there, and what differs from the one before it (None: the first)."""

    combo: Combo
    begun: datetime | None
    change: Differences | None


@dataclass(frozen=True)
class Cell:
    """Runs that have the problem under the combo. `plan` is the address of a plan for them, or "".

    `after` is how long after the combo began it was first seen (in words), `is_new` that it was never
    seen before that.
    """

    column: Column
    runs: int
    plan: str = ""
    first_seen: datetime | None = None
    after: str = ""
    is_new: bool = False


@dataclass(frozen=True)
class Row:
    """One problem with a cell for each column; `elsewhere` are its runs under other combos."""

    line: Line
    cells: Sequence[Cell]
    elsewhere: int


@dataclass(frozen=True)
class Matrix:
    """The columns, the oldest first, and the rows, the worst first; `left_out` rows are not shown."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    left_out: int


def offered(tenant: Tenant, task_type: str) -> list[Combo]:
    """The newest combos of a task type that the tenant may see, newest first."""
    found = combos.seen_by(tenant).filter(task_type=task_type)
    return list(found.defer("manifest").order_by("-pk")[:OFFERED])


def matrix(tenant: Tenant, task_type: str, chosen: Sequence[int]) -> Matrix:
    """The open problems of a task type by these combos (ids; at most `MOST_COMBOS`)."""
    columns = _columns(tenant, chosen[:MOST_COMBOS])
    standings = [each for each in overview.standings(tenant) if each.problem.task_type == task_type]
    found = overview.overview(tenant, standings, most=ROWS)
    begun = {each.combo.pk: each.begun for each in columns if each.begun}
    pairs = [
        (line.problem.pk, column.combo.pk)
        for line in found.lines
        for column in columns
        if _runs(line, column)
    ]
    seen = beginnings.first_seen(pairs, begun)
    rows = [_row(line, columns, seen) for line in found.lines]
    return Matrix(columns, rows, found.left_out)


def _columns(tenant: Tenant, chosen: Sequence[int]) -> list[Column]:
    found = list(Combo.objects.filter(pk__in=chosen))
    begun = beginnings.begun(tenant, found)
    ordered = sorted(found, key=lambda it: (begun.get(it.pk, it.created_at), it.pk))
    before: Mapping[str, Any] | None = None
    columns = []
    for combo in ordered:
        says = combos.manifest_of(combo)
        change = None if before is None else differences.between(before, says)
        columns.append(Column(combo, begun.get(combo.pk), change))
        before = says
    return columns


def _row(line: Line, columns: Sequence[Column], seen: Mapping[tuple[object, int], datetime]) -> Row:
    cells = [_cell(line, column, seen) for column in columns]
    shown = sum(cell.runs for cell in cells)
    return Row(line, cells, max(line.standing.all.runs - shown, 0))


def _cell(line: Line, column: Column, seen: Mapping[tuple[object, int], datetime]) -> Cell:
    runs = _runs(line, column)
    if not runs:
        return Cell(column, 0)
    at = seen.get((line.problem.pk, column.combo.pk)) or _tally(line, column).first_seen
    known = _known_since(line)
    return Cell(
        column=column,
        runs=runs,
        plan=_plan(line, column),
        first_seen=at,
        after=_after(column.begun, at),
        is_new=bool(column.begun and known and known >= column.begun),
    )


def _known_since(line: Line) -> datetime | None:
    """When the problem was first seen at all; what is only derived is known since it stands."""
    if line.problem.kind == STUCK:
        return line.standing.all.first_seen
    return line.problem.first_seen_at


def _plan(line: Line, column: Column) -> str:
    """A plan is over runs that somebody can still do something about."""
    tally = _tally(line, column)
    if tally.runs <= tally.decided:
        return ""
    return f"?from=problem&key={line.problem.fingerprint}&combo={column.combo.pk}"


def _after(begun: datetime | None, at: datetime | None) -> str:
    if begun is None or at is None:
        return ""
    return moments.span(max((at - begun).total_seconds(), 0.0))


def _runs(line: Line, column: Column) -> int:
    return _tally(line, column).runs


def _tally(line: Line, column: Column) -> Tally:
    return line.standing.by_combo.get(column.combo.pk, Tally())
