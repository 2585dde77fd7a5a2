"""The other side: a provider that answers late, twice, never, or with garbage."""

import random
from typing import ClassVar

from tests.chaos import tools
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault
from tests.chaos.work import BY_NAME

MET_SECONDS = 12


class Mood(Fault):
    """What all share: the provider is in a mood until it is healed; a call must meet it."""

    mood: ClassVar[str]
    victims: ClassVar[tuple[str, ...]] = ("moody_void", "moody_keyed", "moody_look_up")
    share = 3
    lasts = (0.2, 2.0)
    group = "mood"

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        before = tools.times_met(arena.world, self.mood)
        tools.set_mood(arena.world, self.mood)
        arena.adopt(f"m{rng.getrandbits(48):012x}", BY_NAME[rng.choice(self.victims)])
        hit = arena.waited(lambda: tools.times_met(arena.world, self.mood) > before, MET_SECONDS)
        if not hit:
            tools.set_mood(arena.world, tools.CALM)
        return hit

    def heal(self, arena: Arena) -> None:
        tools.set_mood(arena.world, tools.CALM)


class AnswersLate(Mood):
    """The effect comes when whoever asked has given up."""

    name = "tool_answers_late"
    mood = tools.LATE


class AnswersTwice(Mood):
    """The request arrives twice."""

    name = "tool_asked_twice"
    victims = ("moody_void", "moody_keyed")
    mood = tools.TWICE


class AnswersNever(Mood):
    """No answer, with and without an effect: the self-stop ends the horse."""

    name = "tool_never_answers"
    mood = tools.NEVER


class AnswersGarbage(Mood):
    """The effect is there, and answer and look-ups cannot be read."""

    name = "tool_answers_garbage"
    mood = tools.GARBAGE


KINDS: tuple[type[Fault], ...] = (AnswersLate, AnswersTwice, AnswersNever, AnswersGarbage)
