"""Tools whose provider has moods: it answers late, twice, never, or with garbage, for as long as told.

The mood stands in a file of the outside world; whoever is met by it leaves a line in another.
"""

import time
from pathlib import Path

from canonical import digests
from reconciliation.tools import Absent, Call, Capabilities, Found, Keyed, Sent, Unanswered
from tests.crash.faketools import REMEMBERS, Late
from tests.engine.faketools import Fake, world

CALM, LATE, TWICE, NEVER, GARBAGE = "", "late", "twice", "never", "garbage"
MOOD, MET = "mood", "moods-met"
FOR_EVER = 3600.0


class Moody(Late):
    """A fake tool that does what its provider's mood is. Each request has its effect at most once."""

    def perform(self, call: Call) -> Sent:
        mood = mood_of(world())
        if mood == TWICE and self._is_exclusive:
            met(world(), mood, call)
            Fake.perform(self, call)  # the network repeats the request; this answer is lost
            return Fake.perform(self, call)
        if mood == LATE:
            met(world(), mood, call)
            self._launch(call, world() / f"effect-{self._place(call)}")
            raise TimeoutError("no answer in time")
        if mood == NEVER:
            met(world(), mood, call)
            if digests.sha256_hex(call.attempt_id.encode()) < "8":
                Fake.perform(self, call)
            time.sleep(FOR_EVER)  # the self-stop ends whoever waits here
        sent = Fake.perform(self, call)
        if mood == GARBAGE:
            met(world(), mood, call)
            raise ValueError("the answer is no JSON: \\x00\\xff")
        return sent

    def look_up(self, call: Call) -> Found | Absent:
        if mood_of(world()) == GARBAGE:
            raise Unanswered("the answer is no JSON: \\x00\\xff")
        return super().look_up(call)

    @property
    def _is_exclusive(self) -> bool:
        """Whether a repeated request finds its place taken, rather than have a second effect."""
        return self.capabilities.void or self.capabilities.keyed is not None


ALL = (
    Moody("moody.void", Capabilities(void=True, look_up=True)),
    Moody("moody.keyed", Capabilities(keyed=Keyed(REMEMBERS, locks_in_flight=True))),
    Moody("moody.look_up", Capabilities(look_up=True)),
    Moody("moody.nothing", Capabilities()),
)


def mood_of(place: Path) -> str:
    """What the provider is up to in this world."""
    try:
        return (place / MOOD).read_text()
    except FileNotFoundError:
        return CALM


def set_mood(place: Path, mood: str) -> None:
    """From now on the provider is in this mood."""
    draft = place / f"{MOOD}-draft"
    draft.write_text(mood)
    draft.rename(place / MOOD)


def met(place: Path, mood: str, call: Call) -> None:
    """A call that meets a mood says so first: that is how a fault knows that it hit."""
    with (place / MET).open("a") as file:
        file.write(f"{mood} {call.attempt_id}\n")


def times_met(place: Path, mood: str) -> int:
    """How many calls have met this mood so far."""
    try:
        lines = (place / MET).read_text().splitlines()
    except FileNotFoundError:
        return 0
    return sum(line.startswith(f"{mood} ") for line in lines)
