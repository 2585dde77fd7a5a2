"""A whole chaos run: open the arena, rolling restarts, the season, the heal, the judgement, the report."""

import random
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

from tests.chaos import checker, outside, proving, rolling, work
from tests.chaos.arena import Arena
from tests.chaos.catalogue import KINDS
from tests.chaos.checker import Findings
from tests.chaos.crew import Crew
from tests.chaos.faults.terms import Fault
from tests.chaos.load import Load, going
from tests.chaos.options import Options
from tests.chaos.people import People
from tests.chaos.season import Season, deck
from tests.chaos.servers import Servers
from tests.crash import databases, report


def main(options: Options, servers: Servers) -> int:
    """Run it; the exit status. The last line of standard output is one JSON object."""
    print(f"seed {options.seed}", file=sys.stderr, flush=True)
    began = time.monotonic()
    with _arena(options, servers) as (arena, people):
        cases = _mailing(options, arena)
        season = _raging(options, arena, began)
        found = _judged(arena, people, season)
        figures = _figures(options, arena, season, found)
        figures |= {"held_for_person": len(people.called), "cases_under_restarts": cases}
        proven = proving.prove(arena, people, options) if options.prove else {}
    figures |= {
        "seconds": round(time.monotonic() - began),
        **({"mutants": proven} if proven else {}),
    }
    for sentence in found.said:
        arena.say(sentence)
    print(report.write(figures, options.out))
    wrong = (*found.numbers().values(), cases, figures["missing"], not all(proven.values()))
    return int(any(wrong))


@contextmanager
def _arena(options: Options, servers: Servers) -> Iterator[tuple[Arena, People]]:
    """Everything running and ready; the people answer for as long as it is open."""
    there = outside.of(servers)
    there.prepare()
    servers.mail.begin()
    databases.cast()
    var = servers.folder / "var"
    var.mkdir(exist_ok=True)
    with (var / "instance.lock").open("a+") as lock:
        crew = Crew(options.workers, lock)
        load = Load(there.remotes, random.Random(options.seed), options.runs, _kinds(options))
        arena, people = Arena(servers, crew, load), People(there)
        try:
            crew.begin()
            arena.wait_until_ready(options.workers)
            with going("people", people.round):
                yield arena, people
        finally:
            crew.end()
            connections.close_all()
            if options.keep:
                logs = options.out.with_suffix(".logs")
                shutil.copytree(var / "log", logs, dirs_exist_ok=True)


def _kinds(options: Options) -> tuple[work.Work, ...]:
    return tuple(work.BY_NAME[name] for name in options.work) or work.KINDS


def _mailing(options: Options, arena: Arena) -> int:
    """The rolling restarts come first, while nothing else is wrong; returns the cases opened.

    Counted when every mail's run has ended: what a restart left behind is found out only later.
    """
    if not options.restarts:
        return 0
    mails = Load(
        arena.load.remotes, random.Random(f"{options.seed}:mail"), options.runs, (work.MAIL,)
    )
    with rolling.counted() as cases:
        with going("mail", mails.round):
            rolling.roll(arena, options.restarts)
        mails.settle()
        checker.wait_for_all(options.patience)
    arena.load.started |= mails.started
    return len(cases)


def _raging(options: Options, arena: Arena, began: float) -> Season:
    kinds = [kind for kind in _wanted(options) if not kind.why_not()]
    cards = deck(kinds, options.faults, random.Random(f"{options.seed}:deck"))
    season = Season(arena, options.seed, cards)
    with going("load", arena.load.round):
        season.rage(until=began + options.minutes * 60)
    connections.close_all()  # of this thread; PostgreSQL may have been away since it was used
    arena.load.settle()
    arena.say("all is healed")
    checker.wait_for_all(options.patience)
    return season


def _wanted(options: Options) -> list[type[Fault]]:
    return [KINDS[name] for name in options.only or KINDS]


def _judged(arena: Arena, people: People, season: Season) -> Findings:
    checker.outwait()
    allowed = {kind for name in season.hits for kind in KINDS[name].may_hold}
    called = list(people.called.values())
    return checker.judge(arena.load.started, people.outside, called, allowed)


def _figures(options: Options, arena: Arena, season: Season, found: Findings) -> dict[str, Any]:
    faults = {rolling.NAME: options.restarts} if options.restarts else {}
    faults |= {name: season.hits[name] for name in sorted(season.hits)}
    wanted = _wanted(options)
    skipped = {kind.name: reason for kind in wanted if (reason := kind.why_not())}
    runs: dict[str, int] = {}
    for kind in arena.load.started.values():
        runs[kind.name] = runs.get(kind.name, 0) + 1
    return {
        "faults": faults,
        # An orderly restart is hardly a fault: both are told.
        "faults_total": season.hits.total(),
        "restarts": faults.get(rolling.NAME, 0),
        "missing": max(0, options.faults - season.hits.total()),
        "without_victim": dict(season.misses),
        "never_hit": sorted(kind.name for kind in wanted if not season.hits[kind.name]),
        "skipped": skipped,
        "runs": sum(runs.values()),
        "runs_by_kind": runs,
        **found.numbers(),
        "recovery_seconds": report.percentiles(checker.recoveries()),
        "seed": options.seed,
    }
