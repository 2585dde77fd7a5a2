"""Reversibility: how far an effect can be undone. The tenant says it of a tool, never the tool."""

from typing import Final

REVERSIBLE: Final = "reversible"  # undone as if it had not been
COMPENSABLE: Final = "compensable"  # set right by another effect; what it did was seen
IRREVERSIBLE: Final = "irreversible"

# From the least to the most dangerous.
CLASSES: Final = (REVERSIBLE, COMPENSABLE, IRREVERSIBLE)


def as_known(said: str) -> str:
    """The class, or the most dangerous one for whatever is not known."""
    return said if said in CLASSES else IRREVERSIBLE


def danger(said: str) -> int:
    """How dangerous, as a number that grows with it."""
    return CLASSES.index(as_known(said))
