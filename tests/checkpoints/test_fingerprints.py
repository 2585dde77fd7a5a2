"""One problem for the same trouble, and never one for two: the table of what is replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoints import fingerprints
from checkpoints.fingerprints import normalised

ALIKE = {
    "a number": ("order 4 is gone", "order 88120 is gone"),
    "an amount": ("12.00 EUR refused", "4,000.50 EUR refused"),
    "an amount grouped by spaces": ("12 EUR refused", "88 120.00 EUR refused"),
    "a negative number": ("moved by -3 lines", "moved by 14 lines"),
    "a business key": ("refund-8812 failed", "refund-9 failed"),
    "an id glued to a word": ("order8812 failed", "order99120 failed"),
    "a UUID": (
        "run 019adc3e-5a0b-7b6e-8d2e-0a1b2c3d4e5f",
        "run 019ADC3E-5A0B-7B6E-8D2E-FFFFFFFFFFFF",
    ),
    "a commit": ("ref 3f2a9bcd1e moved", "ref 0012abc99f moved"),
    "an address in memory": ("<Pipe object at 0x7fde12>", "<Pipe object at 0xffab00>"),
    "a token": ("token eyJhbGciOiJIUzI1NiIsInR5 is old", "token abC3d9F2kLm0Pq7RstUv is old"),
    "a time": ("since 2026-11-29 13:20:11 UTC", "since 2025-01-02T03:04:05.678Z"),
    "a time of day": ("settling until 13:20:11 UTC", "settling until 02:00:59 UTC"),
    "a path": ("cannot read /var/lib/kedge/a.json", "cannot read /tmp/x/y/b.json"),
    "a path of Windows": (r"cannot read C:\Users\ada\a.txt", r"cannot read D:\b\c.txt"),
    "what is asked of a host": (
        "GET https://pay.example/v1/refunds/8?key=1 failed",
        "GET https://pay.example/v1/refunds/99 failed",
    ),
    "an IP address": ("10.0.0.3:5432 is closed", "192.168.11.200:41 is closed"),
    "a person": ("ada@example.org is unknown", "bob.b+x@mail.example.org is unknown"),
    "white space": ("no\n  answer", "no answer "),
    "what comes late": ("x " * 1000 + "1", "x " * 1000 + "2 and more"),
}
# Near misses: each pair looks alike and is two troubles.
APART = {
    "a status of HTTP": ("HTTP 503 from the provider", "HTTP 404 from the provider"),
    "a status code": ("status code: 500", "status code: 429"),
    "a signal": ("killed by signal 9", "killed by signal 15"),
    "an exit code": ("ended with exit code 1", "ended with exit code 137"),
    "an errno": ("[Errno 111] refused", "[Errno 113] refused"),
    "a state of SQL": ("SQLSTATE 23505", "SQLSTATE 40001"),
    "a field": ("KeyError: 'customer_id'", "KeyError: 'amount'"),
    "a class": ("ValueError: 3", "TypeError: 3"),
    "a class with a digit": ("IllegalArgument2Error", "IllegalArgument3Error"),
    "a name that ends in a digit": ("sha256 differs", "sha512 differs"),
    "a host": ("https://pay.example/v1 is closed", "https://mail.example/v1 is closed"),
    "a currency": ("12.00 EUR refused", "12.00 USD refused"),
    "a unit": ("waited 5 s", "waited 5 min"),
    "a word that only looks like hex": ("decade", "facade"),
    "a slash between words": ("read/write refused", "create/delete refused"),
    "a word more": ("refused", "not refused"),
    "nothing": ("", "0"),
}


@pytest.mark.parametrize(("first", "second"), ALIKE.values(), ids=ALIKE)
def test_what_differs_each_time_is_left_out(first: str, second: str) -> None:
    assert normalised(first) == normalised(second)


@pytest.mark.parametrize(("first", "second"), APART.values(), ids=APART)
def test_near_misses_stay_two_problems(first: str, second: str) -> None:
    assert normalised(first) != normalised(second)


@given(st.text(max_size=400))
def test_what_is_normalised_stays_as_it_is(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once
    assert len(once) <= fingerprints.LONGEST_KEPT


@given(st.text(alphabet="aA1/:.-_@\\ #x<>=", max_size=3000))
def test_no_text_is_too_much_for_it(text: str) -> None:
    assert len(normalised(text)) <= fingerprints.LONGEST_KEPT


def test_each_part_tells_problems_apart() -> None:
    same = {"task_type": "mail", "node": "send", "tool": "smtp", "error": "no answer 1"}
    one = fingerprints.of("outcome_unknown", **same)
    assert one == fingerprints.of("outcome_unknown", **{**same, "error": "no answer 2"})
    others = [{**same, name: "other"} for name in same]
    found = {one, fingerprints.of("crash_loop", **same)}
    found |= {fingerprints.of("outcome_unknown", **each) for each in others}
    assert len(found) == 6


def test_parts_cannot_be_moved_from_one_place_to_the_next() -> None:
    one = fingerprints.of("k", task_type="a", node="b", tool="", error="c")
    assert one != fingerprints.of("k", task_type="a", node="", tool="b", error="c")
