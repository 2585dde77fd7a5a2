"""In which order problems are shown: by the harm that is done or cannot be ruled out. Pure."""

from datetime import datetime
from typing import Final

from approvals.rules.classes import IRREVERSIBLE
from checkpoints import states

# Harm that is done; then what nobody can say it is not; then everything that only waits or ended.
ARRIVED: Final = 0
IRREVERSIBLE_UNKNOWN: Final = 1
NOT_KNOWN: Final = 2
THE_REST: Final = 3
UNKNOWN_KINDS: Final = (states.OUTCOME_UNKNOWN, states.CONTRADICTED, states.RECORD_BEHIND)

Place = tuple[int, int, datetime, str]


def rank(kind: str, reversibility: str) -> int:
    """How bad a problem of this kind is at worst; `reversibility` is the class of its tool."""
    if kind == states.DUPLICATE_EFFECT:
        return ARRIVED
    if kind in UNKNOWN_KINDS:
        return IRREVERSIBLE_UNKNOWN if reversibility == IRREVERSIBLE else NOT_KNOWN
    return THE_REST


def place(ranked: int, amount: int, first_seen: datetime, fingerprint: str) -> Place:
    """What problems are sorted by: the worst first, then the larger amount, then the older one.

    `amount` is the largest sum of one currency, in minor units: sums of two cannot be compared
    without a rate, and nobody has agreed on one. The fingerprint keeps equal ones where they are.
    """
    return ranked, -amount, first_seen, fingerprint
