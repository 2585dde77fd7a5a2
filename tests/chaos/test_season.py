"""How faults are drawn, opened beside each other, counted and healed."""

import random
import time
from typing import ClassVar, cast

import pytest

from tests.chaos import options, season
from tests.chaos.arena import Arena
from tests.chaos.catalogue import KINDS
from tests.chaos.faults.terms import Fault
from tests.chaos.season import NotHealedError, Season, deck


class Silent:
    """An arena in which nothing is."""

    def say(self, words: str) -> None:
        pass


class Noted(Fault):
    """Writes down what is done to it."""

    name = "noted"
    hits: ClassVar[bool] = True
    notes: ClassVar[list[str]] = []

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        self.notes.append(f"strike {self.name} {rng.random():.6f}")
        return self.hits

    def heal(self, arena: Arena) -> None:
        self.notes.append(f"heal {self.name}")


class Missing(Noted):
    name = "missing"
    hits = False


class Long(Noted):
    name = "long"
    lasts = (60.0, 60.0)


class Beside(Long):
    name = "beside"
    group = "long"


class Alone(Noted):
    name = "alone"
    alone = True


class Last(Noted):
    name = "last"
    last = True


class Broken(Noted):
    name = "broken"

    def is_healed(self, arena: Arena) -> bool:
        return False


@pytest.fixture(autouse=True)
def notes() -> list[str]:
    Noted.notes.clear()
    return Noted.notes


def _rage(*kinds: type[Fault], seconds: float = 60) -> Season:
    found = Season(cast(Arena, Silent()), 1, list(kinds))
    found.rage(until=time.monotonic() + seconds)
    return found


def test_a_fault_that_hit_counts_and_is_healed(notes: list[str]) -> None:
    assert _rage(Noted).hits == {"noted": 1}
    assert [note.split()[0] for note in notes] == ["strike", "heal"]


def test_a_fault_without_a_victim_does_not_count_and_is_tried_again(notes: list[str]) -> None:
    found = _rage(Missing)
    assert not found.hits
    assert found.misses == {"missing": 1 + season.TRIES}
    assert not [note for note in notes if note.startswith("heal")]


def test_the_same_seed_gives_the_same_choices(notes: list[str]) -> None:
    _rage(Noted, Noted)
    first = list(notes)
    notes.clear()
    _rage(Noted, Noted)
    assert notes == first


def test_of_one_group_one_is_open_at_a_time_and_all_are_healed(notes: list[str]) -> None:
    found = _rage(Long, Beside, Noted, seconds=1)
    assert found.hits == {"long": 1, "noted": 1}
    assert sorted(note for note in notes if note.startswith("heal")) == ["heal long", "heal noted"]


def test_what_is_alone_waits_until_nothing_else_is_open() -> None:
    assert not _rage(Long, Alone, Noted, seconds=1).hits["alone"]
    assert _rage(Noted, Alone).hits["alone"]


def test_what_comes_last_waits_for_all_others_also_for_those_tried_again(
    notes: list[str],
) -> None:
    found = _rage(Last, Noted, Missing, Last)
    struck = [note.split()[1] for note in notes if note.startswith("strike")]
    assert struck[-2:] == ["last", "last"]
    assert (found.hits["last"], found.misses["missing"]) == (2, 1 + season.TRIES)


def test_what_does_not_come_back_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(season, "HEAL_SECONDS", 0)
    with pytest.raises(NotHealedError, match="broken"):
        _rage(Broken)


def test_unless_told_otherwise_five_hundred_strike_beside_the_restarts() -> None:
    asked = options.parse([])
    assert (asked.faults, asked.restarts) == (500, 100)


def test_a_deck_has_every_kind_and_is_replayed_by_its_seed() -> None:
    kinds = list(KINDS.values())
    first = deck(kinds, 200, random.Random("1"))
    assert len(first) == 200
    assert set(first) == set(kinds)
    assert first == deck(kinds, 200, random.Random("1"))
    assert first != deck(kinds, 200, random.Random("2"))
