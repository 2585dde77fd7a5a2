"""Every verdict says in words which numbers stand behind it."""

from dataclasses import replace
from typing import Any

import pytest

from releases.charts import wording
from releases.charts.wording import MINUS
from releases.gates import policies, samples, verdicts
from releases.gates.samples import Arm, Count, Effects, Sample
from tenants.pills import PILLS
from tests.releases.gates.arms import healthy, only, sample, spells


def said(measure: str, candidate: Arm, stable: Arm | None = None, **demand: Any) -> str:
    return of_sample(measure, sample(candidate, stable), **demand)


def of_sample(measure: str, seen: Sample, **demand: Any) -> str:
    policy = only(measure, **demand)
    whole = verdicts.judge(seen, policy, look=1)
    [finding] = whole.findings
    return wording.of_finding(finding, policy.demands[measure], whole.assigned)


def test_too_few_are_counted_and_so_are_those_that_lack() -> None:
    arm = Arm(assigned=14, recovered=Count(14, 14), spells=spells(14))
    text = said(policies.RECOVERY_SUCCESS, arm)
    assert text.startswith("Not enough evidence: 14 of 30 recoveries; ")
    assert text.endswith(" more needed.")
    none = said(policies.RECOVERY_SUCCESS, Arm(), Arm())
    assert none == "Not enough evidence: 0 of 30 recoveries; 30 more needed."


def test_what_the_stable_combo_lacks_is_said_of_it() -> None:
    text = said(policies.FAILURE, healthy(400), replace(healthy(400), failed=Count(0, 3)))
    assert "the stable combo has 3 of 50 runs that ended; 47 more needed there" in text


def test_worse_names_the_interval_and_the_limit() -> None:
    text = said(policies.FAILURE, replace(healthy(400), failed=Count(200, 400)))
    assert text.startswith("Worse beyond doubt: the difference is +")
    assert text.endswith("all of it past +5.0 points.")


def test_no_worse_names_what_would_be_too_much() -> None:
    text = said(policies.RECOVERY_SUCCESS, healthy(4_000), healthy(4_000))
    assert text.startswith(f"No worse: the difference is {MINUS}")
    assert text.endswith(f"; {MINUS}5.0 points would be too much.")


def test_a_doubt_says_how_many_more_would_end_it() -> None:
    text = said(policies.FAILURE, healthy(60), healthy(60), margin=0.02)
    assert text.startswith("Not enough evidence after 60 runs that ended: the difference is ")
    assert "more needed if it goes on like this" in text or "settles it" in text


def test_a_ratio_is_told_in_per_cent() -> None:
    dear = replace(healthy(400), cost=samples.Cost(400, 3_000.0, 100.0))
    text = said(policies.COST, dear)
    assert "+2" in text
    assert " %, all of it past +25.0 %." in text


def test_a_duplicate_is_one_too_many_and_none_is_of_those_looked_up() -> None:
    one = replace(healthy(), effects=Effects(happened=9, checked=9, arrived=1))
    assert said(policies.DUPLICATES, one) == "Worse: 1 effect arrived twice, and none may."
    assert said(policies.DUPLICATES, healthy(400)) == (
        "None of 400 effects looked up arrived twice."
    )
    few = replace(healthy(), effects=Effects(happened=9, checked=9))
    assert said(policies.DUPLICATES, few).startswith("Not enough evidence: 9 of 20 effects")


@pytest.mark.parametrize(
    ("hits", "of", "text"),
    [
        (2, 5, "Not enough evidence: 5 of 30 shadows compared; "),
        (1, 200, "Few enough: 0.0 % to 3.7 % differ in effect; 20.0 % would be too many."),
        (
            40,
            40,
            "Too many beyond doubt: 87.6 % to 100.0 % differ in effect, all of it past 20.0 %.",
        ),
        (5, 40, "Not enough evidence after 40 shadows compared: 2.8 % to 31.5 % differ in effect;"),
        (40, 200, "no number of them settles it."),
    ],
)
def test_shadows_that_differ_are_told_as_a_share_of_their_own(
    hits: int, of: int, text: str
) -> None:
    assert text in of_sample(policies.DIVERGENCE, sample(diverged=Count(hits, of)))


def test_broken_telemetry_says_how_much_could_not_be_read() -> None:
    unread = replace(healthy(400), failed=Count(0, 100, unread=100))
    text = said(policies.FAILURE, unread, replace(healthy(400), failed=Count(0, 100)))
    assert text.startswith("Telemetry broken: 100 of 300 facts behind it could not be read.")


def test_arms_that_are_not_comparable_say_what_was_dealt_and_what_came() -> None:
    seen = Sample(healthy(400), healthy(400), expected_share=1_000)
    policy = only(policies.FAILURE)
    whole = verdicts.judge(seen, policy, look=1)
    text = wording.of_finding(whole.findings[0], policy.demands[policies.FAILURE], whole.assigned)
    assert "the candidate got 400 of 800 new runs instead of 10 %" in text


@pytest.mark.parametrize("verdict", verdicts.VERDICTS)
def test_every_verdict_has_its_word(verdict: str) -> None:
    assert verdict in PILLS


def test_what_decides_a_whole_is_named() -> None:
    reasons = (*policies.MEASURES, *samples.CONSTRAINTS, *wording.REASONS)
    text = wording.because(reasons)
    assert "_" not in text
    assert [wording.broken(each) for each in (0, 1, 3)] == [
        "holds",
        "broken once",
        "broken 3 times",
    ]
    assert "could not be read" in wording.broken(None)
