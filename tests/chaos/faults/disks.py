"""Full disks: of the journal, in every worker; of PostgreSQL's write-ahead log, or its tables."""

import atexit
import random
import shutil
from contextlib import ExitStack, suppress
from functools import cache

import psycopg

from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault
from tests.chaos.instruments import disks
from tests.chaos.instruments.disks import Small
from tests.chaos.servers import IMMEDIATE
from tests.chaos.work import LARGE

# Effects of the fakes and objects of git are smaller files than this, and stay writable.
LEAST_BYTES = 16 * 1024
MOST_BEYOND = 300  # less than a line: what fits of it is written
FIRES_SECONDS = 8
NOT_CALLED = "SELECT count(*) FROM reconciliation_attempt WHERE outcome = 'not_called'"
WAL_MEGABYTES, SEGMENTS = 2048, 16
TABLES_MEGABYTES, BLOBS = 512, "kedge_blobs"
NO_ROOM = """
SELECT 1 FROM checkpoints_run
 WHERE business_key = %s AND reason = 'for_retry' AND sentence LIKE '%%No space left on device%%'
"""
GROW = "SELECT pg_logical_emit_message(true, 'chaos', 'x'), pg_switch_wal()"


class JournalFull(Fault):
    """No worker can add a line to the journal, so nothing may be sent."""

    name = "journal_full"
    share = 2
    lasts = (0.5, 3.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        file = arena.folder / "journal" / "effects.jsonl"
        size = file.stat().st_size if file.exists() else 0
        if size < LEAST_BYTES:
            return False
        before = arena.ask(NOT_CALLED)
        disks.cap(_all(arena), size + rng.randrange(MOST_BEYOND))
        if arena.waited(lambda: arena.ask(NOT_CALLED) > before != [], FIRES_SECONDS):
            return True
        self.heal(arena)
        return False

    def heal(self, arena: Arena) -> None:
        disks.uncap(arena.crew.workers())
        disks.uncap(_all(arena))  # horses that were forked meanwhile, too


class OnSmallDisk(Fault):
    """A part of PostgreSQL stands on a small disk of its own, and that is full."""

    alone = True

    @classmethod
    @cache
    def why_not(cls) -> str:
        return disks.why_no_small()


class WalFull(OnSmallDisk):
    """PostgreSQL finds no room for its log, panics, cannot come back, and is given room."""

    name = "postgres_disk_full"
    lasts = (0.5, 2.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        disk = _log_disk(arena)
        disk.fill()
        with suppress(psycopg.Error), arena.postgres.connect() as connection:
            for _ in range(SEGMENTS):
                connection.execute(GROW)
        if arena.waited(lambda: not arena.postgres.answers(), FIRES_SECONDS):
            return True
        disk.make_room()
        return False

    def heal(self, arena: Arena) -> None:
        _log_disk(arena).make_room()
        if arena.postgres.runs:
            arena.postgres.stop(IMMEDIATE)
        arena.postgres.start()

    def is_healed(self, arena: Arena) -> bool:
        return arena.postgres.answers()


class TablesFull(OnSmallDisk):
    """PostgreSQL finds no room for a large value; a run of its own has met it, and waits for room."""

    name = "postgres_tables_full"
    lasts = (0.5, 3.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        disk, key = _tables_disk(arena), f"l{rng.getrandbits(48):012x}"
        disk.fill()
        arena.adopt(key, LARGE)
        if arena.waited(lambda: arena.ask(NO_ROOM, (key,)) != [], FIRES_SECONDS):
            return True
        disk.make_room()
        return False

    def heal(self, arena: Arena) -> None:
        _tables_disk(arena).make_room()


_there: dict[tuple[int, str], Small] = {}


def _disk(arena: Arena, name: str, megabytes: int) -> Small:
    """A small disk of this arena, which stays until the program ends: its server stands on it."""
    stack = ExitStack()
    atexit.register(stack.close)
    found = _there[id(arena), name] = stack.enter_context(disks.small(megabytes=megabytes))
    return found


def _tables_disk(arena: Arena) -> Small:
    """The small disk that the arena's PostgreSQL keeps blobs on; moved there the first time."""
    found = _there.get((id(arena), BLOBS))
    if found is None:
        found = _disk(arena, BLOBS, TABLES_MEGABYTES)
        with arena.postgres.connect() as own:
            disks.blobs_onto(found, own, BLOBS)
    return found


def _log_disk(arena: Arena) -> Small:
    """The small disk that the arena's PostgreSQL keeps its log on; moved there the first time."""
    found = _there.get((id(arena), "log"))
    if found is None:
        found = _disk(arena, "log", WAL_MEGABYTES)
        log, there = arena.postgres.here.data / "pg_wal", found.folder / "pg_wal"
        arena.postgres.stop(IMMEDIATE)
        owner = log.stat()
        shutil.copytree(log, there, symlinks=True)
        for path in (there, *there.rglob("*")):
            shutil.chown(path, owner.st_uid, owner.st_gid)
            path.chmod(0o700 if path.is_dir() else 0o600)
        shutil.rmtree(log)
        log.symlink_to(there)
        arena.postgres.start()
    return found


def _all(arena: Arena) -> list[int]:
    return [*arena.crew.workers(), *arena.crew.horses()]


KINDS: tuple[type[Fault], ...] = (JournalFull, WalFull, TablesFull)
