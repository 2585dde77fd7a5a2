"""One season of chaos: faults are drawn, strike, and are healed, while runs go on; then it is judged."""

import random
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault

TRIES = 6
POLL_SECONDS = 0.05
LONGEST_PAUSE = 0.3
HEAL_SECONDS = 90


class NotHealedError(Exception):
    """A fault was healed, and its victim did not come back."""


@dataclass
class Season:
    """What strikes, what is open, and what has hit so far. `deck` holds the kinds yet to come."""

    arena: Arena
    seed: int
    deck: list[type[Fault]]
    hits: Counter[str] = field(default_factory=Counter)
    misses: Counter[str] = field(default_factory=Counter)
    _open: list[tuple[float, Fault]] = field(default_factory=list)
    _healing: list[Fault] = field(default_factory=list)
    _drawn: int = 0

    def rage(self, *, until: float) -> None:
        """Strike until the deck is empty or this moment of the monotonic clock; then heal all."""
        tries: Counter[str] = Counter()
        try:
            while self.deck and time.monotonic() < until:
                self._heal_due()
                kind = self._next()
                if kind is None:
                    time.sleep(POLL_SECONDS)
                elif self._strike(kind):
                    tries[kind.name] = 0
                elif tries[kind.name] < TRIES:
                    tries[kind.name] += 1
                    self.deck.append(kind)
        finally:
            self._heal_all()

    def _next(self) -> type[Fault] | None:
        """The first of the deck that may be open beside what is; a lone one lets all others end."""
        others_first = not all(kind.last for kind in self.deck)
        for place, kind in enumerate(self.deck):
            if kind.last and others_first:
                continue
            if kind.alone and (self._open or self._healing):
                # Nothing passes it by: it would wait for ever.
                return None
            if self._may_open(kind):
                return self.deck.pop(place)
        return None

    def _may_open(self, kind: type[Fault]) -> bool:
        busy = [fault for _, fault in self._open] + self._healing
        groups = {fault.group or fault.name for fault in busy}
        return not any(fault.alone for fault in busy) and (kind.group or kind.name) not in groups

    def _strike(self, kind: type[Fault]) -> bool:
        self._drawn += 1
        rng = random.Random(f"{self.seed}:{self._drawn}:{kind.name}")
        fault, lasts = kind(), rng.uniform(*kind.lasts)
        hit = fault.strike(self.arena, rng)
        self.arena.say(f"{kind.name}: {'hit' if hit else 'found no victim'}")
        (self.hits if hit else self.misses)[kind.name] += 1
        if hit:
            self._open.append((time.monotonic() + lasts, fault))
            time.sleep(rng.uniform(0, LONGEST_PAUSE))
        return hit

    def _heal_due(self) -> None:
        now = time.monotonic()
        for due, fault in list(self._open):
            if due <= now:
                self._open.remove((due, fault))
                fault.heal(self.arena)
                self._healing.append(fault)
        self._healing = [it for it in self._healing if not it.is_healed(self.arena)]

    def _heal_all(self) -> None:
        end = time.monotonic() + HEAL_SECONDS
        self._open = [(0.0, fault) for _, fault in self._open]
        self._heal_due()
        while self._healing:
            if time.monotonic() > end:
                raise NotHealedError(", ".join(fault.name for fault in self._healing))
            time.sleep(POLL_SECONDS)
            self._heal_due()


def deck(kinds: list[type[Fault]], count: int, rng: random.Random) -> list[type[Fault]]:
    """So many strikes, each kind by its share and at least once where there is room, shuffled."""
    drawn = rng.sample(kinds, len(kinds))[:count]
    drawn += rng.choices(kinds, [kind.share for kind in kinds], k=max(0, count - len(drawn)))
    rng.shuffle(drawn)
    return drawn
