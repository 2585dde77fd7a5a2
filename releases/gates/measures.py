"""How each measure is read from an arm, and which way is better. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from releases.gates import intervals, policies, survival
from releases.gates.intervals import Interval, Rate
from releases.gates.policies import Demand
from releases.gates.samples import Arm, Count

A_SECOND: Final = 1000


@dataclass(frozen=True)
class Reading:
    """One measure of one arm: `of` trials, their rate or mean, and what could not be read.

    `variance` is None of a rate.
    """

    of: int
    value: float
    unread: int
    variance: float | None = None

    @property
    def is_unknown(self) -> bool:
        """Nothing could be read, though something was there."""
        return self.unread > 0 and self.of == 0

    @property
    def unread_share(self) -> float:
        """Of all facts that should be there."""
        return self.unread / max(self.of + self.unread, 1)

    def rate(self, trials: float) -> Rate:
        """A rate, as if so many trials had gone as these did."""
        return Rate(self.value * trials, trials)

    def mean(self, trials: float) -> tuple[float, float]:
        """A mean and its own variance, as if so many trials had gone as these did."""
        return self.value, (self.variance or 0.0) / trials


@dataclass(frozen=True)
class Compared:
    """Two arms, candidate and stable, as if they had `trials`: more than none each."""

    arms: tuple[Reading, Reading]
    trials: tuple[float, float]
    error: float


@dataclass(frozen=True)
class Measure:
    """What a measure is: how it is read, whether more of it is better, and how arms are compared.

    Two rates by their difference; two means by their ratio.
    """

    name: str
    read: Callable[[Arm, Demand], Reading]
    more_is_better: bool
    by_ratio: bool = False

    def interval(self, two: Compared) -> Interval:
        """The limits of candidate minus stable, or of candidate over stable."""
        if self.by_ratio:
            candidate, stable = (arm.mean(of) for arm, of in zip(two.arms, two.trials, strict=True))
            return intervals.of_ratio(candidate, stable, two.error)
        return intervals.difference(*self._rates(two), two.error)

    def is_worse(self, two: Compared, margin: float) -> bool:
        """Whether the candidate is worse by more than the margin, beyond doubt."""
        worst, _ = self.bounds(margin)
        return self._is_beyond(two, worst, below=self.more_is_better)

    def is_no_worse(self, two: Compared, margin: float) -> bool:
        """Whether it is worse by no more than the margin, beyond doubt."""
        worst, _ = self.bounds(margin)
        return self._is_beyond(two, worst, below=not self.more_is_better)

    def is_better(self, two: Compared, margin: float) -> bool:
        """Whether it is better by more than the margin, beyond doubt."""
        _, best = self.bounds(margin)
        return self._is_beyond(two, best, below=not self.more_is_better)

    def _is_beyond(self, two: Compared, bound: float, *, below: bool) -> bool:
        if self.by_ratio:
            found = self.interval(two)
            return found.high < bound if below else found.low > bound
        candidate, stable = self._rates(two)
        if below:
            return intervals.is_less(candidate, stable, bound, two.error)
        return intervals.is_less(stable, candidate, -bound, two.error)

    def _rates(self, two: Compared) -> tuple[Rate, Rate]:
        (candidate, stable), (here, there) = two.arms, two.trials
        return candidate.rate(here), stable.rate(there)

    def bounds(self, margin: float) -> tuple[float, float]:
        """Worse is what lies beyond the first, better what lies beyond the second."""
        low, high = (1 / (1 + margin), 1 + margin) if self.by_ratio else (-margin, margin)
        return (low, high) if self.more_is_better else (high, low)


def _counted(count: Callable[[Arm], Count], arm: Arm, _demand: Demand) -> Reading:
    read = count(arm)
    return Reading(read.of, read.hits / read.of if read.of else 0.0, read.unread)


def _quick(arm: Arm, demand: Demand) -> Reading:
    quick, ripe = survival.within(arm.spells, demand.within_seconds * A_SECOND)
    return Reading(ripe, quick / ripe if ripe else 0.0, arm.spells_unread)


def _cost(arm: Arm, _demand: Demand) -> Reading:
    cost = arm.cost
    return Reading(cost.runs, cost.mean, cost.unread, variance=cost.variance)


COMPARED: Final[Mapping[str, Measure]] = {
    each.name: each
    for each in (
        Measure(
            policies.RECOVERY_SUCCESS,
            partial(_counted, lambda arm: arm.recovered),
            more_is_better=True,
        ),
        Measure(policies.RECOVERY_DURATION, _quick, more_is_better=True),
        Measure(policies.FAILURE, partial(_counted, lambda arm: arm.failed), more_is_better=False),
        Measure(policies.HELD, partial(_counted, lambda arm: arm.held), more_is_better=False),
        Measure(
            policies.REJECTION, partial(_counted, lambda arm: arm.rejected), more_is_better=False
        ),
        Measure(policies.COST, _cost, more_is_better=False, by_ratio=True),
    )
}
