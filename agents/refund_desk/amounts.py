"""Amounts of money as people write them: written by one rule, and found again in free text. Pure."""

import re
from collections.abc import Iterator

# 1,250.00 EUR · € 12.50 · 12,50€ · EUR 40. What has no currency beside it is no amount.
_NUMBER = r"\d{1,3}(?:[.,' ]?\d{3})*(?:[.,]\d{1,2})?(?![\d])"
_SIGN = r"(?:€|EUR|euros?)"
_AMOUNT = re.compile(
    rf"{_SIGN}\s?(?P<after>{_NUMBER})|(?P<before>{_NUMBER})\s?{_SIGN}", re.IGNORECASE
)
_CENTS = re.compile(r"[.,](\d{1,2})$")


def written(cents: int, currency: str) -> str:
    """`1,250.00 EUR`."""
    return f"{cents // 100:,}.{cents % 100:02d} {currency}"


def named_in(text: str) -> Iterator[int]:
    """Every amount in euros that a text names, in cents."""
    for found in _AMOUNT.finditer(text):
        yield _cents(found["after"] or found["before"])


def _cents(number: str) -> int:
    tail = _CENTS.search(number)
    whole = number[: tail.start()] if tail else number
    part = tail[1].ljust(2, "0") if tail else "00"
    return int(re.sub(r"\D", "", whole)) * 100 + int(part)
