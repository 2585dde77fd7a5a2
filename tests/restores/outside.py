"""The outside world of a story, read directly: a folder of effects, and the journal beside it."""

import json
import os
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

PLACE = "place"


@dataclass(frozen=True)
class Effect:
    """One thing that is in the world: by which attempt, under which ledger key, and what it is."""

    attempt: str
    key: str
    what: str


@dataclass(frozen=True)
class Outside:
    """A world and a journal below one folder."""

    folder: Path

    @property
    def world(self) -> Path:
        return self.folder / "world"

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    def effects(self) -> list[Effect]:
        """Everything that is in the world."""
        found = [json.loads(path.read_bytes()) for path in self.world.glob("effect-*")]
        return [Effect(each["attempt"], each["key"], each["what"]) for each in found]

    def has(self, key: str) -> bool:
        """Whether an effect of this ledger key is there."""
        return any(effect.key == key for effect in self.effects())

    def duplicates(self) -> int:
        """How many effects there are more than keys, and than things to be done."""
        effects = self.effects()
        return max(
            _repeated(Counter(key)) for key in ([e.key for e in effects], [e.what for e in effects])
        )

    def lines(self) -> list[dict[str, Any]]:
        """The lines of the journal, as they stand in its files."""
        found: list[dict[str, Any]] = []
        for path in sorted(self.journal.glob("effects*.jsonl")):
            found += [json.loads(text) for text in path.read_text().splitlines() if text.strip()]
        return found


def _repeated(count: Counter[str]) -> int:
    return sum(number - 1 for number in count.values())


def made(folders: list[Path]) -> list[Outside]:
    """Worlds whose journals are one and the same journal to whoever looks.

    A copied journal is another one to the engine, which knows it by the file `place`: so all are
    given the one file before anybody has seen it, and what is in them is copied later.
    """
    first, *others = [Outside(folder) for folder in folders]
    for each in (first, *others):
        each.journal.mkdir(parents=True)
    (first.journal / PLACE).write_text(str(uuid4()))
    for each in others:
        os.link(first.journal / PLACE, each.journal / PLACE)
    first.world.mkdir()
    return [first, *others]


def carry_over(source: Outside, to: Outside) -> None:
    """Give another story the world and the journal as they are now."""
    shutil.copytree(source.world, to.world)
    for path in source.journal.iterdir():
        if path.name in (PLACE, "claim"):
            continue
        copy = shutil.copytree if path.is_dir() else shutil.copy2
        copy(path, to.journal / path.name)
