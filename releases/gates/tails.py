"""The chance of so many hits or more, as a logarithm: the regularized incomplete beta function. Pure."""

from math import exp, inf, lgamma, log, log1p
from typing import Final

# The continued fraction is there after some dozens of terms; a large sample takes more.
MOST_TERMS: Final = 5_000
EXACT: Final = 1e-14
SMALLEST: Final = 1e-300


def log_at_least(hits: float, trials: float, rate: float) -> float:
    """The logarithm of the chance of `hits` or more in `trials` at this rate; 0.0 is certain."""
    if hits <= 0 or rate >= 1:
        return 0.0
    if rate <= 0:
        return -inf
    others = trials - hits + 1
    if rate <= (hits + 1) / (hits + others + 2):
        return _log_beta(rate, hits, others)
    # Beyond its middle the other tail is the small one, and the fraction there is short.
    missed = exp(_log_beta(1 - rate, others, hits))
    return log1p(-missed) if missed < 1 else -inf


def _log_beta(rate: float, hits: float, others: float) -> float:
    size = lgamma(hits + others) - lgamma(hits) - lgamma(others)
    front = size + hits * log(rate) + others * log1p(-rate) - log(hits)
    return front + log(_fraction(rate, hits, others))


def _fraction(rate: float, hits: float, others: float) -> float:
    """Its continued fraction, by Lentz' method (Abramowitz and Stegun 26.5.8)."""
    above, below = 1.0, 1 / _apart(1 - (hits + others) * rate / (hits + 1))
    found = below
    for term in range(1, MOST_TERMS):
        at = hits + 2 * term
        for step in (
            term * (others - term) * rate / ((at - 1) * at),
            -(hits + term) * (hits + others + term) * rate / (at * (at + 1)),
        ):
            below = 1 / _apart(1 + step * below)
            above = _apart(1 + step / above)
            found *= above * below
        if abs(above * below - 1) < EXACT:
            break
    return found


def _apart(value: float) -> float:
    """Not so near to 0 that dividing by it is refused."""
    return value if abs(value) > SMALLEST else SMALLEST
