"""Where a story is told: one record with its server, its world, its processes and its people."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg
from django.db import connections

from tests.chaos.servers import DATABASE, IMMEDIATE, Postgres, Valkey
from tests.restores import clusters, ground
from tests.restores.crew import Crew
from tests.restores.outside import Outside
from tests.restores.people import People
from tests.restores.voyage import PATIENCE_SECONDS, PAUSE_SECONDS, Amounts, Left

KNOWN: Final = "SELECT id::text FROM reconciliation_attempt"


@dataclass(frozen=True)
class Stage:
    """Where a story is told: a world of its own, a folder for its servers, a number for its Redis.

    `mutant` names what is broken in its workers and sweeper; "" for nothing.
    """

    story: str
    left: Left
    world: Outside
    folder: Path
    valkey: Valkey
    amounts: Amounts
    number: int
    mutant: str = ""
    patience: float = PATIENCE_SECONDS


@dataclass
class Told:
    """What a story came to. `wrong` has a sentence for everything that is not as it must be."""

    story: str
    missing: int = 0
    listed: int = 0
    reconciled: int = 0
    cases: int = 0
    duplicates: int = 0
    codes: tuple[str, ...] = ()
    wrong: list[str] = field(default_factory=list)

    def count(self, outside: Outside) -> None:
        """Count what is there twice: as all has ended, and again once nothing can arrive any more."""
        self.duplicates = max(self.duplicates, outside.duplicates())
        self.expect(not self.duplicates, f"{self.duplicates} effects are there twice")

    def expect(self, fact: object, sentence: str) -> None:
        """Note the sentence when the fact is none."""
        if not fact:
            self.wrong.append(sentence)


@dataclass
class Scene:
    """One record in a story: its server, its world, its processes and its people."""

    server: Postgres
    outside: Outside
    crew: Crew
    people: People
    patience: float

    def known_attempts(self) -> set[str]:
        """The attempts that this record has, asked before anything of the engine runs."""
        return attempts_of(self.server)

    def until(self, fact: Callable[[], bool], *duties: Callable[[], object]) -> bool:
        """Do the duties again and again until it is so; False when it never is."""
        end = time.monotonic() + self.patience
        while True:
            for duty in duties:
                self.people.round_of(duty)
            if fact():
                return True
            if time.monotonic() > end:
                return False
            self.crew.refuse_if_ended()
            time.sleep(PAUSE_SECONDS)


@contextmanager
def opened(stage: Stage, server: Postgres, *, beside: int = 0) -> Iterator[Scene]:
    """The scene of a story, its server running. `beside`: another Redis than that of the story's first installation."""
    if not server.runs:
        server.start()
    number = stage.number + beside
    environment = ground.environment(
        server, stage.valkey, stage.world, number=number, mutant=stage.mutant
    )
    crew = Crew(environment, Path(f"{server.here.logs}") / "crew.log")
    scene = Scene(server, stage.world, crew, People(stage.world), stage.patience)
    try:
        yield scene
    finally:
        connections.close_all()
        crew.kill()
        server.stop(IMMEDIATE)


def attempts_of(server: Postgres) -> set[str]:
    """The attempts that a record has."""
    with psycopg.connect(server.here.database_url(clusters.SUPERUSER, DATABASE)) as reader:
        return {row[0] for row in reader.execute(KNOWN).fetchall()}
