"""What must hold of every sample there can be."""

from dataclasses import replace

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from canonical import json as canonical
from releases.gates import policies, samples, verdicts
from releases.gates.policies import DUPLICATES, USUAL
from releases.gates.samples import Arm, Count, Sample
from releases.gates.verdicts import BETTER, HOLD, NO_WORSE, PROMOTE_ALLOWED, STOP, WORSE, judge
from tests.releases.gates.arms import ARMS, SAMPLES, counts, only

LOOKS = st.integers(0, len(USUAL.looks))
# How good a verdict is for the candidate, of those a comparison gives.
RANK = {WORSE: 0, verdicts.NOT_ENOUGH_EVIDENCE: 1, NO_WORSE: 2, BETTER: 3}
# To make a failing sample of a hundred numbers smaller takes minutes, and tells little more.
few = settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.generate])


@given(SAMPLES, LOOKS)
@few
def test_a_verdict_is_found_again_from_what_was_kept(seen: Sample, look: int) -> None:
    kept = canonical.dumps(seen.as_json()), canonical.dumps(USUAL.as_json())
    then = judge(seen, USUAL, look=look)
    again = judge(
        samples.read(canonical.loads_object(kept[0])),
        policies.read(canonical.loads_object(kept[1])),
        look=look,
    )
    assert canonical.dumps(again.as_json()) == canonical.dumps(then.as_json())
    assert samples.read(seen.as_json()).digest == seen.digest


@given(counts(120), counts(120), st.integers(1, 40))
@few
def test_more_failures_never_make_a_candidate_look_better(
    mine: Count, theirs: Count, more: int
) -> None:
    read = replace(mine, unread=0), replace(theirs, unread=0)
    before = _verdict(*read)
    failed = Count(mine.hits + more, mine.of + more)
    assert RANK[_verdict(failed, read[1])] <= RANK[before] or mine.of < 10
    if mine.hits + more <= mine.of:
        turned = Count(mine.hits + more, mine.of)
        assert RANK[_verdict(turned, read[1])] <= RANK[before]


def _verdict(mine: Count, theirs: Count) -> str:
    seen = Sample(Arm(failed=mine), Arm(failed=theirs))
    return judge(seen, only("failure", least=10), look=1).findings[0].verdict


@given(ARMS, ARMS)
@few
def test_arms_changed_about_turn_better_into_worse(one: Arm, other: Arm) -> None:
    here, there = (
        {each.measure: each for each in judge(seen, USUAL, look=1).findings}
        for seen in (Sample(one, other), Sample(other, one))
    )
    for measure in set(here) - {DUPLICATES}:
        assert (here[measure].verdict == BETTER) == (there[measure].verdict == WORSE)
        assert (here[measure].verdict == WORSE) == (there[measure].verdict == BETTER)


@given(SAMPLES, LOOKS)
@few
def test_nothing_is_promoted_past_a_doubt(seen: Sample, look: int) -> None:
    whole = judge(seen, USUAL, look=look)
    if any(each.broken for each in seen.safety):
        assert whole.verdict == STOP
    elif any(each.broken is None for each in seen.safety) or look == 0:
        assert whole.verdict in (STOP, HOLD) if look else whole.verdict == HOLD
    allowed = all(each.verdict in verdicts.ALLOWING for each in whole.findings)
    assert whole.verdict != PROMOTE_ALLOWED or allowed
    assert bool(whole.because) == (whole.verdict != PROMOTE_ALLOWED)
