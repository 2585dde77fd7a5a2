"""Of the twins compared at most so many may differ in effect: settled as an exact binomial test settles it."""

from dataclasses import replace

import pytest
from scipy import stats

from releases.gates import policies, samples
from releases.gates.policies import USUAL
from releases.gates.samples import Count, Sample
from releases.gates.verdicts import (
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
from tests.releases.gates.arms import healthy, only, sample

MOST = USUAL.demands[policies.DIVERGENCE].margin
LEAST = USUAL.demands[policies.DIVERGENCE].least


def finding(diverged: Count, **demand: float) -> Finding:
    [found] = judge(sample(diverged=diverged), only("divergence", **demand), look=1).findings
    return found


def by_the_book(hits: int, of: int, most: float) -> str:
    """The exact one-sided tests of a binomial rate, by scipy."""
    error = USUAL.error_per_look
    if stats.binomtest(hits, of, most, alternative="greater").pvalue < error:
        return WORSE
    below = stats.binomtest(hits, of, most, alternative="less").pvalue < error
    return NO_WORSE if below else NOT_ENOUGH_EVIDENCE


@pytest.mark.parametrize("of", [LEAST, 61, 250])
@pytest.mark.parametrize("most", [0.0, 0.05, MOST, 0.5])
def test_the_verdict_is_that_of_an_exact_test(of: int, most: float) -> None:
    for hits in range(0, of + 1, 1 if of < 100 else 3):
        assert finding(Count(hits, of), margin=most).verdict == by_the_book(hits, of, most)


def test_fewer_than_the_least_say_nothing_however_bad_they_are() -> None:
    before = finding(Count(LEAST - 1, LEAST - 1))
    assert (before.verdict, before.more) == (NOT_ENOUGH_EVIDENCE, 1)
    assert finding(Count(LEAST, LEAST)).verdict == WORSE
    assert finding(Count()).more == LEAST


@pytest.mark.parametrize(("hits", "of"), [(4, 40), (14, 40), (2, 30)])
def test_as_many_more_as_are_said_would_settle_it(hits: int, of: int) -> None:
    found = finding(Count(hits, of))
    assert found.verdict == NOT_ENOUGH_EVIDENCE
    assert found.more
    # Whole hits only: so up to a whole multiple of what there is.
    times = -(-(of + found.more) // of)
    assert finding(Count(hits * times, of * times)).verdict != NOT_ENOUGH_EVIDENCE
    half = (of + found.more) // 2 // of
    if half > 1:
        assert finding(Count(hits * half, of * half)).verdict == NOT_ENOUGH_EVIDENCE


def test_what_is_shown_is_the_rate_between_its_limits_and_the_most_there_may_be() -> None:
    found = finding(Count(4, 40))
    assert (found.candidate.value, found.candidate.of, found.stable) == (0.1, 40, None)
    assert (found.worst, found.best) == (MOST, None)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.1 < found.high


def test_a_candidate_of_which_too_many_differ_is_stopped() -> None:
    whole = judge(sample(diverged=Count(200, 400)), USUAL, look=1)
    assert (whole.verdict, whole.because) == (STOP, ("divergence",))
    between = judge(sample(diverged=Count(200, 400)), USUAL, look=0)
    assert between.verdict == HOLD


def test_twins_are_pairs_so_shares_that_are_off_change_nothing() -> None:
    off = replace(sample(healthy(1000), healthy(1000), Count(90, 100)), expected_share=1000)
    assert judge(off, USUAL, look=1).because[0] == "divergence"


def test_where_no_twin_was_compared_it_asks_nothing() -> None:
    good, stable = healthy(1000), healthy(4000)
    whole = judge(sample(good, stable), USUAL, look=1)
    assert whole.verdict == PROMOTE_ALLOWED
    assert "divergence" not in {each.measure for each in whole.findings}
    few = judge(sample(good, stable, Count(0, 3)), USUAL, look=1)
    assert (few.verdict, few.because) == (HOLD, ("divergence",))
    unread = judge(sample(good, stable, Count(unread=1)), USUAL, look=1)
    assert (unread.verdict, unread.because) == (HOLD, ("divergence",))
    assert unread.findings[-1].verdict == TELEMETRY_BROKEN


def test_a_release_of_before_there_was_divergence_is_judged_by_what_it_carries() -> None:
    older = replace(
        USUAL, demands={k: v for k, v in USUAL.demands.items() if k != policies.DIVERGENCE}
    )
    seen = sample(healthy(1000), healthy(4000), Count(400, 400))
    assert judge(seen, older, look=1).verdict == PROMOTE_ALLOWED


def test_a_sample_of_the_first_form_is_read_and_keeps_its_digest() -> None:
    before = sample().as_json()
    assert before["version"] == 1
    assert "diverged" not in before
    assert samples.read(before).digest == sample().digest
    now = sample(diverged=Count(1, 9)).as_json()
    assert (now["version"], samples.read(now).diverged) == (2, Count(1, 9))
    for wrong in ({**now, "version": 3}, {k: v for k, v in now.items() if k != "diverged"}):
        with pytest.raises(ValueError, match="sample"):
            samples.read(wrong)
    assert (
        Sample(healthy(), healthy(), diverged=Count()).digest != Sample(healthy(), healthy()).digest
    )
