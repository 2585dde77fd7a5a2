"""A node that eats memory when it is told to, inside a limit that only its own process has.

The limit is a memory group, whose kernel kills, or one of the address space, which only looks like it.
"""

import os
import resource
from contextlib import suppress
from pathlib import Path

from checkpoints.graph import END, Context, State, To
from config.embedded import processes
from tests.engine.faketools import world

LIMIT_BYTES = 48 * 1024**2
PIECE_BYTES = 1024**2
PIECES = 512
KILLED_FOR_MEMORY = 137
GROUP, ADDRESSES = "group", "addresses"
CGROUPS = Path("/sys/fs/cgroup")


def eat(state: State, context: Context) -> To:
    """Eat once for each meal that was laid out for this run; without one there is nothing to do."""
    key = str(context.input["key"])
    try:
        limit = meal(world(), key).read_text()
        meal(world(), key).unlink()
    except FileNotFoundError:
        return To(END, {**state, "thought": "not hungry"})
    draft = world() / f"eater-draft-{os.getpid()}"
    draft.write_text(str(os.getpid()))
    draft.rename(_eater(world(), key))
    _limit_group() if limit == GROUP else _limit_addresses()
    try:
        eaten = [os.urandom(PIECE_BYTES) for _ in range(PIECES)]
    except MemoryError:
        # As if the kernel had done it, and with a note that it was for memory.
        _full(world(), key).touch()
        os._exit(KILLED_FOR_MEMORY)
    return To(END, {**state, "thought": f"{len(eaten)} pieces"})


def meal(place: Path, key: str) -> Path:
    """Laid out for the run of this business key, eaten once."""
    return place / f"meal-{key}"


def eater(place: Path, key: str) -> int | None:
    """The process that ate, if one did."""
    file = _eater(place, key)
    return int(file.read_text()) if file.exists() else None


def is_eating(pid: int) -> bool:
    """Whether it is still alive."""
    return processes.alive(pid)


def group(pid: int) -> Path:
    """The control group of one eater."""
    base = CGROUPS / "memory" if (CGROUPS / "memory").is_dir() else CGROUPS
    return base / f"kedge-chaos-{pid}"


def was_full(place: Path, key: str) -> bool:
    """Whether the eater of this run ended itself because its addresses were used up."""
    return _full(place, key).exists()


def killed_in(own: Path) -> int:
    """How many processes of a memory group the kernel has killed because it was full."""
    file = own / ("memory.oom_control" if own.parent.name == "memory" else "memory.events")
    words = dict(line.split() for line in file.read_text().splitlines())
    return int(words["oom_kill"])


def why_no_group() -> str:
    """Why no memory group can be made here; "" when one can."""
    own = group(os.getpid())
    try:
        _make(own)
        killed_in(own)
    except (OSError, KeyError):
        return "no memory cgroup can be made here"
    finally:
        with suppress(OSError):
            own.rmdir()
    return ""


def _full(place: Path, key: str) -> Path:
    return place / f"full-{key}"


def _eater(place: Path, key: str) -> Path:
    return place / f"eater-{key}"


def _make(own: Path) -> None:
    own.mkdir()
    name = "memory.limit_in_bytes" if own.parent.name == "memory" else "memory.max"
    (own / name).write_text(str(LIMIT_BYTES))


def _limit_group() -> None:
    own = group(os.getpid())
    _make(own)
    (own / "cgroup.procs").write_text(str(os.getpid()))


def _limit_addresses() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + LIMIT_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
