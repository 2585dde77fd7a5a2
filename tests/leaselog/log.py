"""A log of lease grants and writes, and what can be told from it afterwards without any database.

Each line has the database's time before and after its operation, so what it did, it did in between:
only what is certain counts as an overlap.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Final

GRANT: Final = "acquire"
# What only the holder of a lease may do.
WRITES: Final = ("commit", "renew", "release")


@dataclass(frozen=True)
class Line:
    """One operation on a run; times are seconds by the database's clock."""

    before: float
    after: float
    worker: str
    op: str
    run: str
    fence: int
    ok: bool

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def faults(log: Iterable[Line]) -> list[str]:
    """Everything in a log that must not be, as sentences. Lines may come in any order."""
    by_run: dict[str, list[Line]] = defaultdict(list)
    for line in log:
        by_run[line.run].append(line)
    return [fault for run, lines in sorted(by_run.items()) for fault in _of_run(run, lines)]


def _of_run(run: str, lines: Sequence[Line]) -> Iterator[str]:
    grants = sorted(
        (line for line in lines if line.op == GRANT and line.ok), key=lambda line: line.fence
    )
    yield from _grants(run, grants)
    granted = {grant.fence: grant for grant in grants}
    for line in lines:
        if line.op in WRITES and line.ok:
            yield from _write(run, line, granted)


def _grants(run: str, grants: Sequence[Line]) -> Iterator[str]:
    for earlier, later in pairwise(grants):
        if earlier.fence == later.fence:
            yield f"run {run}: fence {later.fence} was granted twice"
        elif later.after < earlier.before:
            yield f"run {run}: fence {later.fence} was granted before {earlier.fence}"


def _write(run: str, line: Line, granted: dict[int, Line]) -> Iterator[str]:
    mine = granted.get(line.fence)
    what = f"run {run}: {line.op} of {line.worker} under fence {line.fence}"
    if mine is None:
        yield f"{what} was accepted, which was never granted"
    elif mine.worker != line.worker:
        yield f"{what} was accepted, which is the lease of {mine.worker}"
    elif line.after < mine.before:
        yield f"{what} was accepted before it was granted"
    overtaken = [
        fence
        for fence, grant in granted.items()
        if fence > line.fence and grant.after < line.before
    ]
    if overtaken:
        yield f"{what} was accepted after fence {min(overtaken)} was granted"


def counted(log: Iterable[Line]) -> dict[str, int]:
    """How often each operation was accepted and refused."""
    found: dict[str, int] = defaultdict(int)
    for line in log:
        found[f"{line.op} {'accepted' if line.ok else 'refused'}"] += 1
    return dict(found)
