"""What a rule may ask of a second look: that a model looks too, and that its remarks were seen.

A look adds caution and has no vote: nothing here makes fewer people needed.
"""

from typing import Final

NONE: Final = ""
SHOW: Final = "show"
ACKNOWLEDGE: Final = "acknowledge"
# From the least to the most that is demanded of whoever approves.
KINDS: Final = (SHOW, ACKNOWLEDGE)
_ORDER: Final = (NONE, *KINDS)


def rank(kind: str) -> int:
    """How much is demanded; more is higher."""
    return _ORDER.index(kind)
