"""Times and spans as people read them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tenants.moments import age, clock, day, moment, span

NOON = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)
TOKYO = timezone(timedelta(hours=9))


def test_moment_names_its_zone() -> None:
    assert moment(NOON + timedelta(seconds=11)) == "2026-11-29 12:00:11 UTC"


def test_moment_of_another_zone_is_turned_into_utc() -> None:
    there = datetime(2026, 11, 30, 0, 30, tzinfo=TOKYO)
    assert (moment(there), day(there), clock(there)) == (
        "2026-11-29 15:30:00 UTC",
        "2026-11-29",
        "15:30:00",
    )


def test_time_without_a_zone_is_refused() -> None:
    for print_it in (moment, day, clock):
        with pytest.raises(ValueError, match="has no zone"):
            print_it(datetime(2026, 11, 29))  # noqa: DTZ001 - the case under test
    with pytest.raises(ValueError, match="has no zone"):
        age(datetime(2026, 11, 29), NOON)  # noqa: DTZ001 - the case under test


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "now"),
        (0.9, "now"),
        (1, "1 s ago"),
        (59.9, "59 s ago"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (7440, "2 h 4 min ago"),
        (86399, "23 h 59 min ago"),
        (86400, "1 d ago"),
        (90 * 86400 + 3 * 3600, "90 d 3 h ago"),
        (-0.5, "now"),
        (-12, "in 12 s"),
        (-7440, "in 2 h 4 min"),
    ],
)
def test_age_is_cut_not_rounded(seconds: float, words: str) -> None:
    assert age(NOON - timedelta(seconds=seconds), NOON) == words


def test_age_does_not_depend_on_the_zone_of_either_time() -> None:
    assert age((NOON - timedelta(minutes=4)).astimezone(TOKYO), NOON) == "4 min ago"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.8504, "850 ms"),
        (1, "1 s"),
        (1.29, "1.2 s"),
        (9.99, "9.9 s"),
        (10, "10 s"),
        (250, "4 min 10 s"),
        (240, "4 min"),
        (7440, "2 h 4 min"),
        (273600, "3 d 4 h"),
    ],
)
def test_span_has_two_units_at_most(seconds: float, words: str) -> None:
    assert span(seconds) == words
