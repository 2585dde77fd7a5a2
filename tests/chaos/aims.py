"""Finds the horse that works on a run right now: from its session lock over its socket to its pid."""

import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg

from checkpoints.leases import session_lock_key
from tests.chaos.crew import Crew, carry_on, children, stop, waited

LEASED = """
SELECT id, fence, holder, effect_in_flight IS NOT NULL, head,
       EXISTS (SELECT 1 FROM checkpoints_recovery
                WHERE run_id = run.id AND new_boundary_at IS NULL AND ended = '')
  FROM checkpoints_run AS run WHERE status = 'running'
"""
LOCKS = """
SELECT (classid::bigint << 32) | objid::bigint, client_port
  FROM pg_locks JOIN pg_stat_activity USING (pid)
 WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND client_port > 0
"""
LOOK_SECONDS = 12
_SOCKET = re.compile(r"socket:\[(\d+)\]")


@dataclass(frozen=True)
class Aim:
    """A horse at work: who it is, whose child, and what it holds."""

    horse: int
    worker: int
    run: UUID
    fence: int
    has_effect_out: bool
    recovers: bool
    head: int


def anything(_aim: Aim) -> bool:
    """Any horse that holds a lease."""
    return True


def effect_out(aim: Aim) -> bool:
    """An effect was sent, or is about to be, and is not yet heard of."""
    return aim.has_effect_out


def recovering(aim: Aim) -> bool:
    """It took over from one that died, and has committed nothing yet."""
    return aim.recovers


def frozen(
    reader: psycopg.Connection,
    crew: Crew,
    rng: random.Random,
    *,
    wanted: Callable[[Aim], bool] = anything,
) -> Aim | None:
    """Stop (SIGSTOP) a horse that is at what is wanted, and still is while it is stopped.

    The caller kills it or lets it carry on. None when no such horse came by in some seconds.
    """
    found: list[Aim] = []

    def caught() -> bool:
        aims = [aim for aim in at_work(reader, crew) if wanted(aim)]
        if not aims:
            return False
        aim = rng.choice(aims)
        if not stop(aim.horse):
            return False
        # In between it may have let go: what stands still can be judged.
        if _is_still(reader, crew, aim.horse, wanted):
            found.append(aim)
            return True
        carry_on(aim.horse)
        return False

    waited(caught, LOOK_SECONDS)
    return found[0] if found else None


def _is_still(
    reader: psycopg.Connection, crew: Crew, horse: int, wanted: Callable[[Aim], bool]
) -> bool:
    """Whether the stopped horse is at what is wanted; a database out of reach lets it go."""
    try:
        return any(aim.horse == horse and wanted(aim) for aim in at_work(reader, crew))
    except psycopg.OperationalError:
        carry_on(horse)
        raise


def at_work(reader: psycopg.Connection, crew: Crew) -> list[Aim]:
    """Every horse that holds a lease, in order of pid."""
    leased = reader.execute(LEASED).fetchall()
    if not leased:
        return []
    ports: dict[int, int] = dict(reader.execute(LOCKS).fetchall())
    horses = {port: pair for pair in _pairs(crew) for port in ports_of(pair[0])}
    found = []
    for run, fence, holder, out, head, recovers in leased:
        port = ports.get(session_lock_key(holder)) if holder is not None else None
        if port in horses:
            horse, worker = horses[port]
            found.append(Aim(horse, worker, run, fence, out, recovers, head))
    return sorted(found, key=lambda aim: aim.horse)


def ports_of(pid: int) -> set[int]:
    """The local TCP ports of a process' connections; of its own network namespace."""
    try:
        links = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
        listed = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return set()
    inodes = {match[1] for link in links if (match := _SOCKET.fullmatch(link))}
    rows = [line.split() for line in listed]
    return {int(row[1].partition(":")[2], 16) for row in rows if row[9] in inodes}


def _pairs(crew: Crew) -> list[tuple[int, int]]:
    return [(horse, worker) for worker in crew.workers() for horse in children(worker)]
