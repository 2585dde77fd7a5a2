"""One installation under load, and the old records that are kept of it while it goes on.

Everything that a story needs is taken from here and is its own: what becomes of it touches no other.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.chaos.servers import IMMEDIATE, Postgres, Valkey
from tests.restores import clusters, ground, outside
from tests.restores.crew import Crew
from tests.restores.outside import Outside
from tests.restores.people import People

PATIENCE_SECONDS: Final = 120.0
PAUSE_SECONDS: Final = 0.2


Say = Callable[[str], None]


@dataclass(frozen=True)
class Amounts:
    """How much goes on: live runs, effects of each, effects before the old records and behind them."""

    runs: int
    legs: int
    before: int
    behind: int
    workers: int


@dataclass(frozen=True)
class Plan:
    """How much of a voyage, how its runs' keys begin, and the names of the worlds that it leaves.

    `stored`: the journal stands in an object store.
    """

    amounts: Amounts
    mark: str
    worlds: tuple[str, ...]
    stored: bool = False


@dataclass(frozen=True)
class Left:
    """What one voyage leaves: old records (data folders, a dump, a standby), and worlds for stories."""

    folder: Path
    standby: Postgres
    worlds: dict[str, Outside]

    @property
    def base(self) -> Path:
        return self.folder / "base"

    @property
    def dump(self) -> Path:
        return self.folder / "kedge.dump"

    @property
    def snapshot(self) -> Path:
        return self.folder / "snapshot"

    @property
    def interrupted(self) -> Path:
        return self.folder / "interrupted"


def sail(folder: Path, original: Postgres, valkey: Valkey, plan: Plan, say: Say) -> Left:
    """Put an installation under load, keep old records of it, and kill it in the middle of its work."""
    amounts, mark = plan.amounts, plan.mark
    folders = [folder / "voyage", *(folder / name for name in plan.worlds)]
    first, *others = outside.made(folders, stored=plan.stored)
    worlds = dict(zip(plan.worlds, others, strict=True))
    left = Left(folder, _followed(folder, original), worlds)
    ground.switch_to(original, first)
    people = People(first)
    people.say_what_can_be_undone()
    crew = Crew(ground.environment(original, valkey, first, number=0), folder / "crew.log")

    def until(effects: int) -> None:
        _load(people, crew, amounts, mark, lambda: len(first.effects()) >= effects)

    with _working(crew, amounts):
        say("under way")
        until(amounts.before)
        say(f"{len(first.effects())} effects; keeping old records")
        clusters.base_backup(original, left.base)
        clusters.dump(original, left.dump)
        clusters.cut_off(left.standby)
        clusters.snapshot(original, left.snapshot)
        say(f"{len(first.effects())} effects; old records are kept")
        until(len(first.effects()) + amounts.behind)
        say(f"{len(first.effects())} effects; killed")
    original.stop(IMMEDIATE)
    shutil.copytree(original.here.data, left.interrupted, symlinks=True)
    for world in left.worlds.values():
        outside.carry_over(first, world)
    return left


def _followed(folder: Path, original: Postgres) -> Postgres:
    """A standby that hears all that its primary writes, and for which nobody waits."""
    clusters.base_backup(original, folder / "followed", standby=True)
    standby = clusters.server(folder / "standby", data=folder / "followed")
    standby.start()
    return standby


@contextmanager
def _working(crew: Crew, amounts: Amounts) -> Iterator[None]:
    crew.start(amounts.workers)
    try:
        yield
    finally:
        crew.kill()


def _load(
    people: People, crew: Crew, amounts: Amounts, mark: str, enough: Callable[[], bool]
) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not enough():
        assert time.monotonic() < end, f"too little happens: {crew.log.read_text()[-3000:]}"
        crew.refuse_if_ended()
        people.round_of(lambda: people.keep_going(amounts.runs, amounts.legs, mark))
        people.round_of(people.answer)
        time.sleep(PAUSE_SECONDS)
