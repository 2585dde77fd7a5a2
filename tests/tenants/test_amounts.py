"""Counts, sizes and identities as people read them."""

import uuid

import pytest

from tenants.amounts import count, short, size


def test_count_groups_thousands() -> None:
    assert count(1204) == "1,204"


def test_count_that_stopped_says_so() -> None:
    assert (count(10_000, 10_000), count(10_001, 10_000)) == ("10,000", "10,000+")


def test_unknown_count_is_not_zero() -> None:
    assert count(None) == "?"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1_500, "1.4 KiB"),
        (2 * 1024**2, "2 MiB"),
        (5 * 1024**5, "5120 TiB"),
    ],
)
def test_size_is_cut_to_one_digit(number: int, words: str) -> None:
    assert size(number) == words


def test_digest_is_known_by_its_beginning() -> None:
    assert short("9f3a2b1c" + "0" * 56) == "9f3a2b1c"


def test_runs_of_one_minute_are_told_apart() -> None:
    first = uuid.UUID("019a2f4c-7b1e-7c3d-9a40-5d1f0e9c2b71")
    second = uuid.UUID("019a2f4c-7b1f-7c3d-9a40-77aa01c4e902")
    assert (short(first), short(second)) == ("…0e9c2b71", "…01c4e902")


def test_random_uuid_is_known_by_its_beginning() -> None:
    assert short("0b8f4f0c-57f2-4f0e-8d2a-3f6d1a2b3c4d") == "0b8f4f0c"


def test_short_text_stays_whole() -> None:
    assert short("main") == "main"
