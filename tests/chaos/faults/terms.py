"""What a fault is: it strikes a victim, says whether it hit, and is healed some time later."""

import random
from abc import ABC, abstractmethod
from typing import ClassVar

from tests.chaos.arena import Arena


class Fault(ABC):
    """One strike of one kind. A kind sets the class variables and says how it strikes.

    `name` is the kind in reports. `share` is how many of 100 default strikes are of it. `lasts` are
    the least and the most seconds between strike and heal. `alone`: no other fault is open with it.
    `last`: it strikes when all kinds that are not have struck, and none of them strikes after it.
    `group`: at most one fault of the same group is open (its own name when it is empty).
    `may_hold` are kinds of cases that this fault is right to call people for.
    """

    name: ClassVar[str]
    share: ClassVar[float] = 1
    lasts: ClassVar[tuple[float, float]] = (0.0, 0.0)
    alone: ClassVar[bool] = False
    last: ClassVar[bool] = False
    group: ClassVar[str] = ""
    may_hold: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def why_not(cls) -> str:
        """Why this machine cannot show it (no root, a program missing); "" when it can."""
        return ""

    @abstractmethod
    def strike(self, arena: Arena, rng: random.Random) -> bool:
        """Do it now. Whether it hit: only then it counts. What did not hit leaves nothing behind.

        Only `rng` may decide about chance, so that a seed replays the choices.
        """

    def heal(self, arena: Arena) -> None:  # noqa: B027 - most heal by themselves
        """Undo it, in the same object; called once after a strike that hit, always."""

    def is_healed(self, arena: Arena) -> bool:
        """Whether what `heal` began is done; asked until it is, before the next of this kind."""
        return True
