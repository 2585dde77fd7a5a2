"""Takes one look: reads both arms and the safety constraints into a sample that can be kept.

A read that fails is telemetry, not a zero: its measure has nothing read and something unread.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from django.db import DatabaseError, transaction

from releases.gates.samples import Arm, Cost, Count, Effects, Sample
from releases.numbers import costs, diverging, effects, questions, recoveries, runs, safety
from releases.numbers.recoveries import Recoveries
from releases.numbers.runs import Runs
from releases.numbers.subjects import ArmOf, Subject, arms
from tenants.database import execute

FAILED: Final = Count(unread=1)
NO_RUNS: Final = Runs(0, 0, FAILED, FAILED, is_cut=False)
NO_RECOVERIES: Final = Recoveries(FAILED, (), unread=1)

Of = TypeVar("Of")
T = TypeVar("T")
Failed = TypeVar("Failed")


def take(subject: Subject) -> Sample:
    """What both arms did since the shares last moved, by the database's clock."""
    candidate, stable = arms(subject)
    (mine, is_cut), (theirs, is_cut_too) = _arm(candidate), _arm(stable)
    return Sample(
        candidate=mine,
        stable=theirs,
        expected_share=subject.expected_share,
        safety=safety.constraints(subject.tenant, subject.candidate, subject.safe_since),
        taken_at=execute("SELECT clock_timestamp()", {})[0][0].isoformat(),
        is_cut=is_cut or is_cut_too,
        diverged=_read(diverging.count, subject, FAILED),
    )


def _arm(arm: ArmOf) -> tuple[Arm, bool]:
    went = _read(runs.count, arm, NO_RUNS)
    recovered = _read(recoveries.count, arm, NO_RECOVERIES)
    counted = Arm(
        assigned=went.assigned,
        ended=went.ended,
        recovered=recovered.recovered,
        spells=recovered.spells,
        spells_unread=recovered.unread,
        failed=went.failed,
        held=went.held,
        rejected=_read(questions.count, arm, FAILED),
        cost=_read(costs.count, arm, Cost(unread=1)),
        effects=_read(effects.count, arm, Effects(unread=1)),
    )
    return counted, went.is_cut


def _read(count: Callable[[Of], T], of: Of, failed: Failed) -> T | Failed:
    try:
        with transaction.atomic():
            return count(of)
    except DatabaseError:
        return failed
