"""Arms and samples as the tests of gates write them, and what hypothesis makes of them."""

from dataclasses import replace

from hypothesis import strategies as st

from releases.gates import policies
from releases.gates.policies import Demand, Policy
from releases.gates.samples import (
    CONSTRAINTS,
    Arm,
    Constraint,
    Cost,
    Count,
    Effects,
    Sample,
)
from releases.gates.survival import Spell

A_MINUTE = 60_000


def spells(quick: int, late: int = 0, under_way: int = 0) -> tuple[Spell, ...]:
    """Recoveries noticed an hour ago: over after a second, after ten minutes, or still not."""
    hour = 60 * A_MINUTE
    return (
        (Spell(1000, over=True, age=hour),) * quick
        + (Spell(10 * A_MINUTE, over=True, age=hour),) * late
        + (Spell(hour, over=False, age=hour),) * under_way
    )


def healthy(runs: int = 400) -> Arm:
    """An arm of which nothing is wrong: 5 of 100 recoveries fail, 2 of 100 runs, and so on."""
    return Arm(
        assigned=runs,
        ended=runs,
        recovered=Count(runs * 95 // 100, runs),
        spells=spells(runs),
        failed=Count(runs * 2 // 100, runs),
        held=Count(runs * 5 // 100, runs),
        rejected=Count(runs * 5 // 100, runs),
        cost=Cost(runs, 1000.0, 250_000.0),
        effects=Effects(happened=runs, checked=runs),
    )


def sample(
    candidate: Arm | None = None, stable: Arm | None = None, diverged: Count | None = None
) -> Sample:
    """Both arms healthy, if not said otherwise; no shares are dealt out, no twin was compared."""
    return Sample(candidate or healthy(), stable or healthy(1200), diverged=diverged)


def broken(name: str, times: int | None = 1) -> tuple[Constraint, ...]:
    """All constraints, of which one is broken (None: cannot be read)."""
    return tuple(Constraint(each, times if each == name else 0) for each in CONSTRAINTS)


def only(name: str, **demand: float) -> Policy:
    """The usual policy with one measure."""
    demands: dict[str, Demand] = {name: replace(policies.USUAL.demands[name], **demand)}  # type: ignore[arg-type]
    return replace(policies.USUAL, demands=demands)


def counts(most: int = 300) -> st.SearchStrategy[Count]:
    return st.integers(0, most).flatmap(
        lambda of: st.builds(Count, st.integers(0, of), st.just(of), st.integers(0, 20))
    )


ARMS = st.builds(
    Arm,
    assigned=st.integers(0, 500),
    ended=st.integers(0, 500),
    recovered=counts(),
    spells=st.lists(
        st.builds(
            lambda took, more, over: Spell(took, over, took + more),
            st.integers(0, 10**6),
            st.integers(0, 10**6),
            st.booleans(),
        ),
        max_size=60,
    ).map(tuple),
    spells_unread=st.integers(0, 5),
    failed=counts(),
    held=counts(),
    rejected=counts(),
    cost=st.builds(
        Cost, st.integers(0, 300), st.floats(0, 1e6), st.floats(0, 1e12), st.integers(0, 5)
    ),
    effects=st.builds(
        Effects, st.integers(0, 99), st.integers(0, 99), st.integers(0, 1), st.integers(0, 5)
    ),
)
SAMPLES = st.builds(
    Sample,
    ARMS,
    ARMS,
    st.one_of(st.none(), st.integers(0, 10_000)),
    st.tuples(
        *(
            st.builds(Constraint, st.just(name), st.sampled_from([0, 0, 0, 1, None]))
            for name in CONSTRAINTS
        )
    ),
    st.just("2027-01-01T00:00:00Z"),
    st.booleans(),
    st.one_of(st.none(), counts()),
)
