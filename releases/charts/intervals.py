"""The interval of one measure as shapes: worse is always left and better right. Pure geometry.

Shape and place say all of it, and no colour: what is beyond the worst is hatched, an end that is open
is an arrow, what was measured is a diamond.
"""

from dataclasses import dataclass
from typing import Final

WIDTH: Final = 300
HEIGHT: Final = 46
TOP: Final = 14  # below the words
EDGE: Final = 14  # left free at both sides, for arrows
HATCH: Final = 7
POINT: Final = 5
ARROW: Final = 7
ROOM: Final = 50  # what a word at an edge takes
MIDDLE: Final = (TOP + HEIGHT) / 2


@dataclass(frozen=True)
class Measured:
    """Candidate against stable: the interval (None: without end), what was measured, the limits.

    `same` is where both are alike: 0 of a difference, 1 of a ratio. Worse is what lies beyond
    `worst`, seen from `same`; better beyond `best`, None where nothing is better than `same`.
    """

    low: float | None
    high: float | None
    point: float | None
    worst: float
    best: float | None
    same: float = 0.0


@dataclass(frozen=True)
class Drawn:
    """Shapes of a drawing of `width` by `height`: places on its x axis, and paths.

    `bar` is the interval, `ends` its two caps: each a line where it ends, an arrow where it does not.
    Without a `best` the right edge is `same`. `has_word`: there is room for the word at `same` between
    those at the edges.
    """

    worst: float
    best: float | None
    same: float
    has_word: bool
    hatching: str
    bar: tuple[float, float]
    ends: str
    point: str
    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP
    middle: float = MIDDLE


def drawn(it: Measured) -> Drawn:
    """The drawing of one measure."""
    turned = it.worst > (it.same if it.best is None else it.best)
    known = [x for x in (it.low, it.high, it.point, it.worst, it.best, it.same) if x is not None]
    place = _Scale(min(known), max(known), turned=turned)
    low, high = (it.high, it.low) if turned else (it.low, it.high)
    left = EDGE / 2 if low is None else place(low)
    right = WIDTH - EDGE / 2 if high is None else place(high)
    worst, same = place(it.worst), place(it.same)
    return Drawn(
        worst=worst,
        best=None if it.best is None else place(it.best),
        same=same,
        has_word=ROOM < same < WIDTH - ROOM,
        hatching=_hatching(worst),
        bar=(left, right),
        ends=f"{_end(left, -1, is_open=low is None)}{_end(right, 1, is_open=high is None)}",
        point="" if it.point is None else _diamond(place(it.point)),
    )


@dataclass(frozen=True)
class _Scale:
    """From a value to its place; `turned`: the larger the more to the left."""

    low: float
    high: float
    turned: bool

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        share = 1 - share if self.turned else share
        return round(EDGE + share * (WIDTH - 2 * EDGE), 2)


def _hatching(until: float) -> str:
    """Slanted lines from the left edge to there, none of them beyond."""
    lines, x = [], 0.0
    while x < until:
        end = min(x + HATCH, until)
        rise = (end - x) / HATCH * (HEIGHT - TOP)
        lines.append(f"M{x:g} {HEIGHT}L{end:g} {round(HEIGHT - rise, 2):g}")
        x += HATCH
    return "".join(lines)


def _end(x: float, way: int, *, is_open: bool) -> str:
    if is_open:
        back = x - way * ARROW
        return f"M{back:g} {MIDDLE - ARROW:g}L{x:g} {MIDDLE:g}L{back:g} {MIDDLE + ARROW:g}"
    return f"M{x:g} {MIDDLE - POINT:g}V{MIDDLE + POINT:g}"


def _diamond(x: float) -> str:
    return (
        f"M{x:g} {MIDDLE - POINT:g}L{x + POINT:g} {MIDDLE:g}"
        f"L{x:g} {MIDDLE + POINT:g}L{x - POINT:g} {MIDDLE:g}Z"
    )
