"""The share of new runs that a candidate got over time, as steps; each look is a mark below. Pure geometry."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from checkpoints.arms import PLACES

WIDTH: Final = 720
HEIGHT: Final = 110
BOTTOM: Final = 90  # where no share is; marks stand below
TOP: Final = 8
MARK: Final = 4

STEP: Final = "step"
MACHINE: Final = "machine"
ALLOWS: Final = "allows"
HOLDS: Final = "holds"
STOPS: Final = "stops"


@dataclass(frozen=True)
class Step:
    """From then on the candidate got these shares (of `checkpoints.arms.PLACES`)."""

    at: datetime
    share: int
    critical: int
    by_machine: bool = False
    says: str = ""


@dataclass(frozen=True)
class Seen:
    """A look, and what it said: `ALLOWS`, `HOLDS` or `STOPS`."""

    at: datetime
    said: str
    says: str = ""


@dataclass(frozen=True)
class Mark:
    """One shape with its words: a cross for a machine's stop, a tick, a ring or a cross for a look."""

    shape: str
    says: str
    kind: str


@dataclass(frozen=True)
class Drawn:
    """`share` and `critical` are paths of steps, `area` what lies below the first."""

    share: str
    critical: str
    area: str
    marks: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    bottom: int = BOTTOM
    top: int = TOP


def drawn(steps: Sequence[Step], looks: Sequence[Seen], *, until: datetime) -> Drawn | None:
    """The drawing from the first step to `until`; None without a step."""
    if not steps:
        return None
    first = steps[0].at
    length = max((until - first).total_seconds(), 1.0)

    def x(at: datetime) -> float:
        share = (at - first).total_seconds() / length
        return round(MARK + min(max(share, 0.0), 1.0) * (WIDTH - 2 * MARK), 2)

    line = _path([(x(step.at), step.share) for step in steps], x(until))
    marks = [
        Mark(_cross(x(step.at), _y(0)), step.says, MACHINE) for step in steps if step.by_machine
    ]
    shapes = {ALLOWS: _tick, HOLDS: _ring, STOPS: _cross}
    marks += [Mark(shapes[it.said](x(it.at), BOTTOM + 12), it.says, it.said) for it in looks]
    return Drawn(
        share=line,
        critical=_path([(x(step.at), step.critical) for step in steps], x(until)),
        area=f"{line}V{BOTTOM}H{x(first):g}Z",
        marks=tuple(marks),
    )


def _path(corners: Sequence[tuple[float, int]], end: float) -> str:
    (begin, share), *rest = corners
    steps = "".join(f"H{x:g}V{_y(share):g}" for x, share in rest)
    return f"M{begin:g} {_y(share):g}{steps}H{end:g}"


def _y(share: int) -> float:
    return round(BOTTOM - share / PLACES * (BOTTOM - TOP), 2)


def _cross(x: float, y: float) -> str:
    a, b, c, d = x - MARK, x + MARK, y - MARK, y + MARK
    return f"M{a:g} {c:g}L{b:g} {d:g}M{a:g} {d:g}L{b:g} {c:g}"


def _tick(x: float, y: float) -> str:
    return f"M{x - MARK:g} {y:g}L{x - 1:g} {y + MARK:g}L{x + MARK:g} {y - MARK:g}"


def _ring(x: float, y: float) -> str:
    return f"M{x - MARK:g} {y:g}a{MARK} {MARK} 0 1 0 {2 * MARK} 0a{MARK} {MARK} 0 1 0 -{2 * MARK} 0"
