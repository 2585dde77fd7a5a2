"""Lines between a worker and its servers: cut at an exact commit, silent, slow, reset."""

import random
from typing import ClassVar

from tests.chaos import ground
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault
from tests.chaos.instruments import lines, standins
from tests.chaos.instruments.lines import AFTER, BEFORE, CLOSE, RACING, RESET, SILENCE, At

STEP = At(lines.CHECKPOINT)
INTENT = At(lines.COMMIT, within=lines.INTENT)
RECEIPT = At(lines.RECEIPT)
QUESTION = At(lines.COMMIT, within=lines.QUESTION)
# What RQ sends: taking a wake-up, and putting one there.
RINGS = At("B?L(?:MOVE|POP)|[RL]PUSH|EXEC|HSET")
BEYOND = (ground.LEASE_SECONDS + 0.5, ground.LEASE_SECONDS + 2.5)
FIRES_SECONDS = 8


class Cut(Fault):
    """The line of one worker is cut at one statement; what became of it has to be found out."""

    share = 3
    group = "lines"
    places: ClassVar[tuple[At, ...]]
    when: ClassVar[str]
    how: ClassVar[tuple[str, ...]] = (RESET, CLOSE)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        standin, place, how = standins.of(arena), rng.choice(self.places), rng.choice(self.how)
        if not standin.is_ready():
            return False
        line = standin.bell if place is RINGS else standin.record
        at = At(place.match, self.when, how, within=place.within, skip=rng.randrange(2))
        number = line.cut(at)
        if arena.waited(lambda: line.fired(number) > 0, FIRES_SECONDS):
            return True
        line.disarm()
        return line.fired(number) > 0


class StepCutBefore(Cut):
    """The autocommit of a checkpoint never reached the server."""

    name = "step_cut_before"
    places, when = (STEP,), BEFORE


class StepCutAfter(Cut):
    """It was carried out, and its answer is lost."""

    name = "step_cut_after"
    places, when = (STEP,), AFTER


class IntentCutBefore(Cut):
    """The COMMIT of an intent never reached the server."""

    name = "intent_cut_before"
    places, when = (INTENT,), BEFORE


class IntentCutAfter(Cut):
    """The intent stands, and whoever wrote it does not know."""

    name = "intent_cut_after"
    places, when = (INTENT,), AFTER


class ReceiptCutBefore(Cut):
    """The effect has happened, and its receipt never reached the server."""

    name = "receipt_cut_before"
    places, when = (RECEIPT,), BEFORE


class ReceiptCutAfter(Cut):
    """The receipt stands, and whoever brought it does not know."""

    name = "receipt_cut_after"
    places, when = (RECEIPT,), AFTER


class CommitCutRacing(Cut):
    """The line is gone while the commit is under way: it may still come to stand."""

    name = "commit_cut_racing"
    places, when = (STEP, INTENT, RECEIPT, QUESTION), RACING


class RingCut(Cut):
    """A wake-up is cut off from Valkey, before or after it was there."""

    name = "ring_cut"
    places, when = (RINGS,), BEFORE


class RingCutAfter(Cut):
    """The same, after it was there."""

    name = "ring_cut_after"
    places, when = (RINGS,), AFTER


class CommitSilent(Cut):
    """The line of a commit falls silent while that of the lease lives on."""

    name = "commit_line_silent"
    share = 2
    lasts = BEYOND
    places, when, how = (STEP, INTENT, RECEIPT), BEFORE, (SILENCE,)

    def heal(self, arena: Arena) -> None:
        """Whoever waits on a dead line hears in the end that it is dead."""
        standins.of(arena).record.sever(RESET)


class CommitSilentAfter(CommitSilent):
    """The same, when the server has carried it out."""

    name = "commit_line_silent_after"
    when = AFTER


class LinesReset(Fault):
    """All connections of a worker that holds a run are reset at once."""

    name = "lines_reset"
    group = "lines"
    share = 2

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        standin = standins.of(arena)
        if not standin.is_ready() or not arena.waited(lambda: bool(standin.held()), FIRES_SECONDS):
            return False
        there = standin.record.lines()
        standin.record.sever(rng.choice((RESET, CLOSE)))
        return there > 0


class LinesHeld(Fault):
    """A net that swallows everything, longer than a lease; then all that was held passes at once."""

    name = "lines_swallowed"
    group = "lines"
    share = 2
    lasts = BEYOND

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        standin = standins.of(arena)
        if not standin.is_ready() or not arena.waited(lambda: bool(standin.held()), FIRES_SECONDS):
            return False
        standin.record.hold()
        if standin.held():
            return True
        standin.record.heal()
        return False

    def heal(self, arena: Arena) -> None:
        standins.of(arena).record.heal()


class LinesSlow(Fault):
    """Every packet of a worker takes longer."""

    name = "lines_slow"
    group = "lines"
    lasts = (2.0, 5.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        standin = standins.of(arena)
        if not standin.is_ready():
            return False
        before = standin.record.delayed()
        standin.record.slow(rng.uniform(0.02, 0.15))
        if arena.waited(lambda: standin.record.delayed() > before, FIRES_SECONDS):
            return True
        standin.record.heal()
        return False

    def heal(self, arena: Arena) -> None:
        standins.of(arena).record.heal()


KINDS: tuple[type[Fault], ...] = (
    StepCutBefore,
    StepCutAfter,
    IntentCutBefore,
    IntentCutAfter,
    ReceiptCutBefore,
    ReceiptCutAfter,
    CommitCutRacing,
    RingCut,
    RingCutAfter,
    CommitSilent,
    CommitSilentAfter,
    LinesReset,
    LinesHeld,
    LinesSlow,
)
