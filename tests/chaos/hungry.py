"""A node that eats memory when it is told to, inside a limit that only its own process has."""

import os
import resource
from pathlib import Path

from checkpoints.graph import END, Context, State, To
from config.embedded import processes
from tests.engine.faketools import world

LIMIT_BYTES = 48 * 1024**2
PIECE_BYTES = 1024**2
PIECES = 512
KILLED_FOR_MEMORY = 137
CGROUPS = Path("/sys/fs/cgroup")


def eat(state: State, context: Context) -> To:
    """Eat once for each meal that was laid out for this run; without one there is nothing to do."""
    key = str(context.input["key"])
    try:
        meal(world(), key).unlink()
    except FileNotFoundError:
        return To(END, {**state, "thought": "not hungry"})
    draft = world() / f"eater-draft-{os.getpid()}"
    draft.write_text(str(os.getpid()))
    draft.rename(_eater(world(), key))
    _limit()
    try:
        eaten = [os.urandom(PIECE_BYTES) for _ in range(PIECES)]
    except MemoryError:
        # Where no cgroup could be made: as if the kernel had done it.
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


def _eater(place: Path, key: str) -> Path:
    return place / f"eater-{key}"


def _limit() -> None:
    """A memory group of this process alone; where we may make none, a limit of its address space."""
    own = group(os.getpid())
    try:
        own.mkdir()
        name = "memory.limit_in_bytes" if own.parent.name == "memory" else "memory.max"
        (own / name).write_text(str(LIMIT_BYTES))
        (own / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + LIMIT_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
