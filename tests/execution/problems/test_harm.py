"""The worst first: what is done, what nobody can rule out, then money, then age."""

from datetime import UTC, datetime

import pytest

from execution.problems import harm

OLD, NEW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)


def place(kind: str, reversibility: str, amount: int, since: datetime = NEW) -> harm.Place:
    return harm.place(harm.rank(kind, reversibility), amount, since, "f")


ORDER = [
    place("duplicate_effect", "reversible", 0),
    place("outcome_unknown", "irreversible", 900),
    place("contradicted", "irreversible", 1, OLD),
    place("outcome_unknown", "irreversible", 1, NEW),
    place("outcome_unknown", "compensable", 9_999),
    place("crash_loop", "irreversible", 5_000),
    place("stuck", "irreversible", 0, OLD),
    place("rejected", "irreversible", 0, NEW),
]


@pytest.mark.parametrize("at", range(len(ORDER) - 1))
def test_each_comes_before_the_next(at: int) -> None:
    assert ORDER[at] < ORDER[at + 1]


def test_a_class_nobody_gave_is_the_worst() -> None:
    assert harm.rank("outcome_unknown", "irreversible") < harm.rank("outcome_unknown", "reversible")
