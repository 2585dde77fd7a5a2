"""Amounts in minor units, as people read them."""

import pytest

from canonical import money


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (0, "EUR", "0.00 EUR"),
        (5, "EUR", "0.05 EUR"),
        (123_450, "EUR", "1,234.50 EUR"),
        (-5, "EUR", "-0.05 EUR"),
        (-123_450, "USD", "-1,234.50 USD"),
        (1234, "JPY", "1,234 JPY"),
        (1_234_567, "KWD", "1,234.567 KWD"),
        (1234, "", "12.34"),
        (2**53 + 1, "EUR", "90,071,992,547,409.93 EUR"),
    ],
)
def test_an_amount_is_printed_exactly(minor: int, currency: str, text: str) -> None:
    assert money.text(minor, currency) == text


def test_a_currency_has_as_many_digits_as_its_minor_unit() -> None:
    assert [money.decimals(each) for each in ("EUR", "JPY", "KWD", "CHF")] == [2, 0, 3, 2]
