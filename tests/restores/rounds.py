"""One voyage and the stories that are told of it, sound or broken on purpose."""

import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.chaos.servers import Postgres, Valkey
from tests.restores.people import WINDOW_SECONDS
from tests.restores.stage import Stage, Told
from tests.restores.stories import STORIES
from tests.restores.voyage import Amounts, Plan, Say, sail

# What never comes is waited for in vain.
BROKEN_PATIENCE_SECONDS: Final = 60.0
# What is broken, and the story that finds it.
BROKEN: Final = {
    "never_compare": "base_backup",
    "list_half": "base_backup",
    "believe_any_server": "dump",
}


def told(
    folder: Path, original: Postgres, valkey: Valkey, options: Namespace, mark: str, say: Say
) -> Iterator[Told]:
    """Sail once and tell every story that is wanted; what is there twice is counted twice, too."""
    given = vars(options)
    amounts = Amounts(**{name: given[name] for name in Amounts.__dataclass_fields__})
    wanted = BROKEN if options.broken else {name: name for name in STORIES}
    names = tuple(name for name in options.only or wanted)
    left = sail(folder, original, valkey, Plan(amounts, mark, names, options.store), say)
    stages = [
        Stage(wanted[name], left, left.worlds[name], folder / f"at-{name}", valkey, amounts, number)
        for number, name in enumerate(names, start=1)
    ]
    done = []
    for name, stage in zip(names, stages, strict=True):
        broken = replace(stage, mutant=name, patience=BROKEN_PATIENCE_SECONDS)
        done.append(STORIES[stage.story](broken if options.broken else stage))
        say(f"{mark}{name}: {done[-1]}")
    if left.standby.runs:
        left.standby.stop()
    time.sleep(WINDOW_SECONDS)
    for name, each in zip(names, done, strict=True):
        each.count(left.worlds[name])
        yield _found(name, each) if options.broken else each


def _found(mutant: str, told: Told) -> Told:
    """What is broken must be wrong: that is what is right here."""
    return replace(told, story=mutant, wrong=[] if told.wrong else ["nobody found what is broken"])
