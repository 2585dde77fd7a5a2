"""What a declaration says about an effect: to people as a sentence, to rules as numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.tools.templates import filled_text, names_in_text
from reconciliation.tools import Magnitude

Json = Any
LONGEST_SENTENCE = 500


@dataclass(frozen=True)
class Says:
    """A sentence and a name with places, and numbers or names of parameters that hold them."""

    describe: str
    target: str
    magnitude: Mapping[str, Json] = field(default_factory=dict)

    def names(self) -> set[str]:
        """The parameters it takes values from."""
        amount = self.magnitude.get("amount", 0)
        texts = (self.describe, self.target, self.magnitude.get("currency", ""))
        named = {name for text in texts for name in names_in_text(text)}
        return named | ({amount} if isinstance(amount, str) else set())

    def sentence(self, parameters: Mapping[str, Json]) -> str:
        """On one line, and not endless."""
        said = " ".join(filled_text(self.describe, parameters).split())
        return said if len(said) <= LONGEST_SENTENCE else f"{said[: LONGEST_SENTENCE - 2]}…."

    def target_of(self, parameters: Mapping[str, Json]) -> str:
        """The stable name of what is touched."""
        return filled_text(self.target, parameters)

    def magnitude_of(self, parameters: Mapping[str, Json]) -> Magnitude:
        """How much it touches."""
        given = dict(self.magnitude)
        amount = given.pop("amount", 0)
        currency = filled_text(given.pop("currency", ""), parameters)
        amount = parameters[amount] if isinstance(amount, str) else amount
        return Magnitude(amount=amount, currency=currency, **given)


def says_of(given: Mapping[str, Json]) -> Says:
    """From the member `says` of a declaration."""
    return Says(given["describe"], given["target"], given.get("magnitude", {}))
