"""The installation itself, as metrics: processes, queue, record and journal."""

from typing import Final

from rq import Queue

from approvals import clock
from checkpoints import wakeups
from config.metrics.tally import Tally
from execution.models import Process
from execution.pages import machine
from reconciliation import spoolplaces
from reconciliation.behind.models import OPEN, Divergence, MissingLine

KINDS: Final = ("worker", "sweeper")
NEVER: Final = -1.0


def processes(tally: Tally) -> None:
    """Workers and sweepers, as they say themselves."""
    for kind in KINDS:
        tally.nothing("kedge_processes_alive", kind=kind)
        tally.nothing("kedge_processes_silent", kind=kind)
    alive = machine.processes()
    for each in alive:
        if each.process.kind in KINDS:
            name = "kedge_processes_silent" if each.silent else "kedge_processes_alive"
            tally.add(name, 1, kind=each.process.kind)
    _sweeper(tally, [each.process for each in alive if each.process.kind == "sweeper"])


def wakeups_queued(tally: Tally) -> None:
    """How many hints wait in Valkey; raises when it does not answer."""
    with wakeups.connection() as client:
        tally.add("kedge_wakeups_queued", Queue(wakeups.QUEUE, connection=client).count)


def record(tally: Tally) -> None:
    """Whether record and world are apart, and what the record lacks of its journal."""
    tally.add("kedge_record_diverged", Divergence.objects.filter(ended_at=None).count())
    missing = MissingLine.objects.filter(became=OPEN)[: machine.COUNTED_TO]
    tally.add("kedge_journal_lines_missing", missing.count())
    tally.add("kedge_spools_silent", len(spoolplaces.silent()))


def _sweeper(tally: Tally, sweepers: list[Process]) -> None:
    rounds = [each for each in sweepers if "took_ms" in each.facts]
    newest = max(rounds, key=lambda each: each.seen_at, default=None)
    if newest is None:
        tally.add("kedge_sweeper_last_round_seconds", NEVER)
        return
    ago = (clock.now() - newest.seen_at).total_seconds()
    tally.add("kedge_sweeper_last_round_seconds", max(0.0, ago))
    tally.add("kedge_sweeper_round_duration_seconds", newest.facts["took_ms"] / 1000)
