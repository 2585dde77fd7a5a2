"""Amounts of money in whole minor units, and how they are printed (ISO 4217 exponents). Pure."""

from collections.abc import Mapping
from typing import Final

# Currencies whose minor unit is not a hundredth.
DECIMALS: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        [
            "BIF",
            "CLP",
            "DJF",
            "GNF",
            "ISK",
            "JPY",
            "KMF",
            "KRW",
            "PYG",
            "RWF",
            "UGX",
            "UYI",
            "VND",
            "VUV",
            "XAF",
            "XOF",
            "XPF",
        ],
        0,
    ),
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
}
USUAL: Final = 2


def decimals(currency: str) -> int:
    """How many digits of an amount in this currency stand after the point."""
    return DECIMALS.get(currency, USUAL)


def text(minor: int, currency: str) -> str:
    """An amount for people: "1,234.50 EUR", "-1,234 JPY". Exact, however large."""
    digits = decimals(currency)
    whole, rest = divmod(abs(minor), 10**digits)
    fraction = f".{rest:0{digits}d}" if digits else ""
    return f"{'-' if minor < 0 else ''}{whole:,}{fraction} {currency}".strip()
