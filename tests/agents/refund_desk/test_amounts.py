"""Amounts as people write them are found again to the cent."""

import pytest

from agents.refund_desk.amounts import named_in, written


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("please send 12.50 EUR", [1250]),
        ("€12,50 it was", [1250]),
        ("€ 1,250.00 or 1.250,00 €", [125_000, 125_000]),
        ("EUR 40 and 3 euros", [4000, 300]),
        ("1 250 euro", [125_000]),
        ("12.5 EUR", [1250]),
        ("order 4000, pieces: 12", []),
        ("20 % of EUR99.99!", [9999]),
        ("", []),
    ],
)
def test_only_numbers_beside_a_currency_are_amounts(text: str, cents: list[int]) -> None:
    assert list(named_in(text)) == cents


@pytest.mark.parametrize("cents", [1, 99, 100, 4_000, 125_000, 123_456_789])
def test_what_is_written_is_found_again(cents: int) -> None:
    assert list(named_in(written(cents, "EUR"))) == [cents]
