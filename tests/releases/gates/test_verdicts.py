"""Each incident of a gate that let through what it should not have, as one look."""

from dataclasses import replace

import pytest

from releases.gates import policies, samples, verdicts
from releases.gates.policies import MEASURES, USUAL
from releases.gates.samples import CONSTRAINTS, Arm, Cost, Count, Effects, Sample
from releases.gates.verdicts import (
    ARMS_NOT_COMPARABLE,
    BETTER,
    HOLD,
    NO_WORSE,
    NOT_ENOUGH_EVIDENCE,
    PROMOTE_ALLOWED,
    STOP,
    TELEMETRY_BROKEN,
    WORSE,
    Finding,
    judge,
)
from tests.releases.gates.arms import broken, healthy, only, sample, spells

UNREAD = Arm(
    assigned=100,
    ended=100,
    recovered=Count(unread=100),
    spells_unread=100,
    failed=Count(unread=100),
    held=Count(unread=100),
    rejected=Count(unread=100),
    cost=Cost(unread=100),
    effects=Effects(happened=100, unread=100),
)


def finding(seen: Sample, measure: str, **demand: float) -> Finding:
    return judge(seen, only(measure, **demand), look=1).findings[0]


def test_a_candidate_as_good_as_the_stable_one_may_be_promoted() -> None:
    whole = judge(sample(healthy(1000), healthy(4000)), USUAL, look=1)
    assert {each.verdict for each in whole.findings} <= {NO_WORSE, BETTER}
    assert (whole.verdict, whole.because) == (PROMOTE_ALLOWED, ())


@pytest.mark.parametrize(
    ("measure", "worse"),
    [
        ("recovery_success", {"recovered": Count(240, 400)}),
        ("recovery_duration", {"spells": spells(quick=240, late=100, under_way=60)}),
        ("failure", {"failed": Count(160, 400)}),
        ("held", {"held": Count(160, 400)}),
        ("rejection", {"rejected": Count(160, 400)}),
        ("cost", {"cost": Cost(400, 2000.0, 250_000.0)}),
    ],
)
def test_each_measure_can_stop_a_candidate(measure: str, worse: dict[str, object]) -> None:
    whole = judge(sample(replace(healthy(), **worse)), USUAL, look=1)  # type: ignore[arg-type]
    assert (whole.verdict, whole.because) == (STOP, (measure,))


def test_a49_three_of_three_are_no_pass_before_there_are_enough() -> None:
    seen = sample(Arm(assigned=3, ended=3, recovered=Count(3, 3)))
    found = finding(seen, "recovery_success")
    assert found.verdict == NOT_ENOUGH_EVIDENCE
    assert found.more is not None
    assert found.more >= USUAL.demands["recovery_success"].least - 3


def test_a49_one_failure_of_two_is_no_fail_before_there_are_enough() -> None:
    seen = sample(Arm(assigned=2, ended=2, failed=Count(1, 2)))
    whole = judge(seen, USUAL, look=1)
    assert whole.verdict == HOLD
    assert "failure" in whole.because


def test_two_of_two_failed_are_no_fail_either() -> None:
    """Statistics alone would find ten of ten against a good arm: the least sample goes first."""
    seen = sample(Arm(assigned=40, ended=40, failed=Count(40, 40)))
    assert finding(seen, "failure", least=41).verdict == NOT_ENOUGH_EVIDENCE
    assert finding(seen, "failure", least=40).verdict == WORSE


def test_a47_an_arm_without_runs_is_no_evidence_and_holds() -> None:
    for seen in (sample(Arm()), sample(healthy(), Arm()), sample(Arm(), Arm())):
        whole = judge(seen, USUAL, look=1)
        assert whole.verdict == HOLD
        compared = [each for each in whole.findings if each.measure != policies.DUPLICATES]
        assert {each.verdict for each in compared} == {NOT_ENOUGH_EVIDENCE}


def test_a46_measurements_that_all_failed_are_broken_and_never_a_pass() -> None:
    for seen in (sample(UNREAD), sample(healthy(), UNREAD)):
        whole = judge(seen, USUAL, look=1)
        assert whole.verdict == HOLD
        compared = [each for each in whole.findings if each.measure != policies.DUPLICATES]
        assert {each.verdict for each in compared} == {TELEMETRY_BROKEN}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_of_which_too_much_is_unread_is_broken(measure: str) -> None:
    arm = healthy()
    lost = replace(
        arm,
        recovered=replace(arm.recovered, unread=40),
        spells_unread=40,
        failed=replace(arm.failed, unread=40),
        held=replace(arm.held, unread=40),
        rejected=replace(arm.rejected, unread=40),
        cost=replace(arm.cost, unread=40),
        effects=replace(arm.effects, unread=40),
    )
    whole = judge(sample(lost, diverged=Count(4, 400, unread=40)), only(measure), look=1)
    assert whole.findings[0].verdict == TELEMETRY_BROKEN
    assert (whole.verdict, whole.because) == (HOLD, (measure,))


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("look", [0, 1])
def test_a48_a_broken_safety_constraint_stops_at_the_first(constraint: str, look: int) -> None:
    for candidate in (Arm(), Arm(assigned=1), healthy(1000), UNREAD):
        seen = replace(sample(candidate), safety=broken(constraint))
        whole = judge(seen, USUAL, look=look)
        assert whole.verdict == STOP
        assert constraint in whole.because


def test_a_safety_constraint_that_cannot_be_read_holds() -> None:
    seen = sample(healthy(1000), healthy(4000))
    seen = replace(seen, safety=broken(samples.AUDIT_CHAIN_BROKEN, None))
    whole = judge(seen, USUAL, look=1)
    assert (whole.verdict, whole.because) == (HOLD, (verdicts.SAFETY_UNREAD,))


def test_arms_whose_shares_are_not_those_dealt_out_are_not_compared() -> None:
    bad = replace(healthy(1000), failed=Count(600, 1000))
    seen = replace(sample(bad, healthy(1000)), expected_share=1000)
    whole = judge(seen, USUAL, look=1)
    assert whole.verdict == HOLD
    assert not whole.assigned.comparable
    compared = [each for each in whole.findings if each.measure != policies.DUPLICATES]
    assert {each.verdict for each in compared} == {ARMS_NOT_COMPARABLE}
    assert judge(replace(seen, expected_share=5000), USUAL, look=1).verdict == STOP


def test_a_duplicate_stops_also_where_arms_are_not_comparable() -> None:
    twice = replace(healthy(1000), effects=Effects(1000, 1000, arrived=1))
    seen = replace(sample(twice, healthy(1000)), expected_share=1000)
    whole = judge(seen, USUAL, look=1)
    assert (whole.verdict, whole.because) == (STOP, (policies.DUPLICATES,))


def test_a49_one_duplicate_stops_however_few_were_looked_at() -> None:
    seen = sample(Arm(assigned=1, ended=1, effects=Effects(1, 1, arrived=1)))
    whole = judge(seen, USUAL, look=1)
    assert (whole.verdict, whole.because) == (STOP, (policies.DUPLICATES,))


def test_no_duplicate_found_says_nothing_of_what_nobody_looked_at() -> None:
    unseen = replace(healthy(), effects=Effects(happened=400, checked=3))
    found = finding(sample(unseen), "duplicates")
    assert (found.verdict, found.more) == (NOT_ENOUGH_EVIDENCE, 17)


def test_between_two_looks_nobody_is_promoted_and_no_measure_stops() -> None:
    good = sample(healthy(1000), healthy(4000))
    bad = sample(replace(healthy(), failed=Count(200, 400)))
    for seen in (good, bad):
        whole = judge(seen, USUAL, look=0)
        assert whole.verdict == HOLD
        assert whole.because[-1] == verdicts.BETWEEN_LOOKS


def test_the_last_look_says_that_none_is_left() -> None:
    whole = judge(sample(healthy(60)), USUAL, look=len(USUAL.looks))
    assert whole.verdict == HOLD
    assert whole.because[-1] == verdicts.NO_LOOK_IS_LEFT


def test_as_many_more_as_are_said_would_settle_it() -> None:
    runs = 100
    found = finding(sample(healthy(runs), healthy(3 * runs)), "failure")
    assert found.verdict == NOT_ENOUGH_EVIDENCE
    assert found.more
    # Both arms grow alike. Whole hits only: so a little more than what was said.
    enough = (runs + found.more) * 12 // 10 // 50 * 50
    later = sample(healthy(enough), healthy(3 * enough))
    assert finding(later, "failure").verdict == NO_WORSE
    assert finding(sample(healthy(enough // 2), healthy(3 * enough // 2)), "failure").verdict == (
        NOT_ENOUGH_EVIDENCE
    )


def test_a_candidate_just_at_the_margin_is_never_settled() -> None:
    seen = sample(
        replace(healthy(), failed=Count(28, 400)), replace(healthy(1200), failed=Count(24, 1200))
    )
    found = finding(seen, "failure")
    assert (found.verdict, found.more) == (NOT_ENOUGH_EVIDENCE, None)
