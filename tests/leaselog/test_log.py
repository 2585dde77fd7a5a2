"""What is wrong in a log is found, and nothing else: logs that were written by hand."""

from dataclasses import replace

from tests.leaselog.log import Line, counted, faults

GRANTED = Line(1.0, 1.1, "a", "acquire", "r", 1, ok=True)
WRITTEN = Line(1.2, 1.3, "a", "commit", "r", 1, ok=True)
NEXT = Line(2.0, 2.1, "b", "acquire", "r", 2, ok=True)
GOOD = [GRANTED, WRITTEN, NEXT, replace(NEXT, before=2.2, after=2.3, op="renew")]


def test_leases_that_follow_each_other_are_in_order() -> None:
    assert faults(GOOD) == []
    assert faults(reversed(GOOD)) == []


def test_a_write_under_an_overtaken_fence_is_found() -> None:
    stale = replace(WRITTEN, before=2.2, after=2.3)
    assert faults([*GOOD, stale]) == [
        "run r: commit of a under fence 1 was accepted after fence 2 was granted"
    ]
    assert faults([*GOOD, replace(stale, ok=False)]) == []


def test_what_may_have_been_in_order_is_no_fault() -> None:
    assert faults([*GOOD, replace(WRITTEN, before=2.05, after=2.3)]) == []


def test_a_fence_that_is_granted_twice_or_backwards_is_found() -> None:
    assert faults([GRANTED, replace(NEXT, fence=1)]) == ["run r: fence 1 was granted twice"]
    assert faults([GRANTED, replace(NEXT, before=0.1, after=0.2)]) == [
        "run r: fence 2 was granted before 1"
    ]


def test_a_write_needs_a_grant_of_its_own_worker() -> None:
    assert faults([GRANTED, replace(WRITTEN, fence=7)]) == [
        "run r: commit of a under fence 7 was accepted, which was never granted"
    ]
    assert faults([GRANTED, replace(WRITTEN, worker="b")]) == [
        "run r: commit of b under fence 1 was accepted, which is the lease of a"
    ]
    assert faults([GRANTED, replace(WRITTEN, before=0.5, after=0.6)]) == [
        "run r: commit of a under fence 1 was accepted before it was granted"
    ]


def test_runs_have_nothing_to_do_with_each_other() -> None:
    assert faults([*GOOD, *(replace(line, run="s") for line in GOOD)]) == []
    assert counted(GOOD) == {"acquire accepted": 2, "commit accepted": 1, "renew accepted": 1}
