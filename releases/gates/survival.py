"""Times of which some are not over yet: they took at least that long, and are never left out. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spell:
    """One recovery: how long it took or has taken (ms), whether it is over, and since when it counts.

    `over`: the run recovered by itself after `took`. Else it took at least that long: it is under
    way, or a person had to step in. `age` is since the interruption was noticed (ms).
    """

    took: int
    over: bool
    age: int


@dataclass(frozen=True)
class Quantile:
    """A time in ms, or None: that many were not over at the end of what was seen."""

    ms: int | None
    at_least: int


def within(spells: Sequence[Spell], limit: int) -> tuple[int, int]:
    """How many were over within `limit` ms, of those of which that can be known by now.

    Only what was noticed that long ago counts, whatever became of it: else the quick ones would
    count first, and every young arm would look fast.
    """
    ripe = [each for each in spells if each.age >= limit]
    return sum(each.over and each.took <= limit for each in ripe), len(ripe)


def quantile(spells: Sequence[Spell], share: float) -> Quantile:
    """The time within which this share was over, by Kaplan and Meier (1958)."""
    left, surviving = len(spells), 1.0
    ordered = sorted(spells, key=lambda each: (each.took, not each.over))
    for each in ordered:
        if each.over:
            surviving *= (left - 1) / left
            # Products of fractions: a hair above is the same share.
            if surviving <= 1 - share + 1e-12:
                return Quantile(each.took, each.took)
        left -= 1
    return Quantile(None, ordered[-1].took if ordered else 0)
