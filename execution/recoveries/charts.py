"""Charts as shapes for a template: bars with what they say and where they lead. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 720
HEIGHT: Final = 120
GAP: Final = 2


@dataclass(frozen=True)
class Value:
    """One bar: its whole height, the part of it that is filled, its words, and its list."""

    whole: float | None
    part: float | None
    says: str
    url: str
    is_here: bool = False


@dataclass(frozen=True)
class Bar:
    """A bar as drawn, in pixels of a chart of `WIDTH` by `HEIGHT`; of nothing it has no height."""

    x: float
    width: float
    y: float
    height: float
    part_y: float
    part_height: float
    says: str
    url: str
    is_here: bool


@dataclass(frozen=True)
class Chart:
    """A bar for each value, all in one measure; `highest` is what the full height stands for."""

    bars: Sequence[Bar]
    highest: float
    width: int = WIDTH
    height: int = HEIGHT


def chart(values: Sequence[Value]) -> Chart:
    """The bars of these values, the first at the left. With nothing to show none has a height."""
    highest = max((value.whole or 0.0 for value in values), default=0.0)
    step = WIDTH / max(len(values), 1)
    bars = []
    for place, value in enumerate(values):
        whole, part = _scaled(value.whole, highest), _scaled(value.part, highest)
        bars.append(
            Bar(
                x=round(place * step + GAP / 2, 2),
                width=round(step - GAP, 2),
                y=HEIGHT - whole,
                height=whole,
                part_y=HEIGHT - part,
                part_height=part,
                says=value.says,
                url=value.url,
                is_here=value.is_here,
            )
        )
    return Chart(bars, highest)


def _scaled(value: float | None, highest: float) -> float:
    """In pixels; what is more than nothing can be seen."""
    if not value or not highest:
        return 0.0
    return round(max(value / highest * HEIGHT, 1.0), 2)
