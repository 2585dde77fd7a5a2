"""The outside world of a story, read directly: a folder of effects, and the journal beside it.

The journal is a folder, or stands in an object store.
"""

import json
import os
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.servers import stores

PLACE, LINES = "place", "lines/"


@dataclass(frozen=True)
class Effect:
    """One thing that is in the world: by which attempt, under which ledger key, and what it is."""

    attempt: str
    key: str
    what: str


@dataclass(frozen=True)
class Outside:
    """A world and a journal below one folder; or, where `store` is one, a journal at that address."""

    folder: Path
    store: str = ""

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
        """The lines of the journal, as they stand in its files or objects."""
        if self.store:
            return [json.loads(stores.content(key)) for key in stores.keys(f"{self.store}/{LINES}")]
        found: list[dict[str, Any]] = []
        for path in sorted(self.journal.glob("effects*.jsonl")):
            found += [json.loads(text) for text in path.read_text().splitlines() if text.strip()]
        return found


def _repeated(count: Counter[str]) -> int:
    return sum(number - 1 for number in count.values())


def made(folders: list[Path], *, stored: bool = False) -> list[Outside]:
    """Worlds whose journals are one and the same journal to whoever looks.

    A copied journal is another one to the engine, which knows it by the file `place`: so all are
    given the one file before anybody has seen it, and what is in them is copied later. `stored`: in
    the store that AWS_* names; the same holds for an object of that name.
    """
    worlds = [Outside(folder, stores.address() if stored else "") for folder in folders]
    first, *others = worlds
    for each in worlds:
        each.journal.mkdir(parents=True)
    first.world.mkdir()
    if stored:
        place = str(uuid4()).encode()
        for each in worlds:
            stores.put(f"{each.store}/{PLACE}", place)
        return worlds
    (first.journal / PLACE).write_text(str(uuid4()))
    for each in others:
        os.link(first.journal / PLACE, each.journal / PLACE)
    return worlds


def carry_over(source: Outside, to: Outside) -> None:
    """Give another story the world and the journal as they are now."""
    shutil.copytree(source.world, to.world)
    for key in stores.keys(f"{source.store}/{LINES}") if source.store else ():
        stores.put(to.store + key.removeprefix(source.store), stores.content(key))
    for path in source.journal.iterdir():
        if path.name in (PLACE, "claim"):
            continue
        copy = shutil.copytree if path.is_dir() else shutil.copy2
        copy(path, to.journal / path.name)
