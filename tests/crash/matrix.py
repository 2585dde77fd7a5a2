"""The kill matrix: record runs, kill them everywhere, and count what is in the world."""

import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash import databases, ground, mailbox, plan, report, services, shops, takeover, worlds
from tests.crash.judge import Judged, judge
from tests.crash.lanes import Common, Lanes, lanes, warm
from tests.crash.mutants import MUTANTS
from tests.crash.options import Options, parse
from tests.crash.registry import TOOLS
from tests.crash.scenarios import BY_NAME, UNHURRIED, by_who_decides, everywhere
from tests.crash.trials import Result, Trial

SAY_EVERY = 50
SHARE = 0.6
TWICE = 2
LAST_WORDS = 1500
SHORT_MARGIN_SECONDS = 4.0
WRONG = (
    *("duplicates", "lost", "not_unique", "invalid"),
    *("unapproved_effects", "unexplained_states"),
)


@dataclass
class Matrix:
    """One run of the matrix: what was recorded, and every trial so far."""

    options: Options
    rng: random.Random
    recorded: dict[str, Result] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    wrong: int = 0
    began: float = field(default_factory=time.monotonic)
    sampling_since: float = 0

    def record(self, pool: Lanes) -> None:
        """Run every scenario undisturbed; the points are what its processes reach.

        A sweeper goes its rounds only where it is to die in one.
        """
        for result in pool.run(
            Trial(name, sweeps=BY_NAME[name].sweeper_kills) for name in self.options.only
        ):
            if result.end is None or result.trouble:
                raise SystemExit(f"{result.trial} did not go well: {_last_words(result)}")
            self.recorded[result.trial.scenario] = result
        self.say(f"{sum(len(it.reached) for it in self.recorded.values())} points recorded")

    def statements(self, pool: Lanes) -> list[Trial]:
        """Every statement of every scenario all of whose processes, or all who decide, are killed."""
        all_of = (everywhere, by_who_decides)
        whole = [name for name in self.options.only if BY_NAME[name].kills in all_of]
        recorded = pool.run(Trial(name, statements=True) for name in whole)
        return [trial for result in recorded for trial in plan.at_statements(result)]

    def kill(
        self, pool: Lanes, trials: Sequence[Trial], what: str, *, until: float = math.inf
    ) -> list[Result]:
        """Run trials; a fault that missed its point is tried once more."""
        self.say(f"{len(trials)} trials: {what}")
        results = list(self._each(pool.run(trials, until=until)))
        missed = [it.trial for it in results if it.fired < len(it.trial.kills)]
        if missed:
            self.say(f"{len(missed)} faults missed their point and are tried again")
            struck = [it for it in results if it.fired == len(it.trial.kills)]
            results = struck + list(self._each(pool.run(missed)))
        self.results += results
        return results

    def kill_some(self, pool: Lanes, trials: Sequence[Trial], what: str, most: int) -> list[Result]:
        """Run a sample of trials, for a share of the time that is left."""
        if not trials:
            return []
        now = time.monotonic()
        self.sampling_since = self.sampling_since or now
        end = self.sampling_since + self.options.minutes * 60
        some = plan.sample(trials, most, self.rng)
        said = f"{what}, of {len(trials)}"
        return self.kill(pool, some, said, until=now + max(0.0, end - now) * SHARE)

    def judged(self) -> list[tuple[Result, Judged]]:
        """Every trial against its reference, and the world as it is after all margins."""
        time.sleep(self._margin_left())
        return [
            (it, judge(it, self.recorded[it.trial.scenario], tuple(it.place.effects())))
            for it in self.results
        ]

    def say(self, words: str) -> None:
        print(f"[{time.monotonic() - self.began:6.1f} s] {words}", file=sys.stderr, flush=True)

    def _each(self, results: Iterable[Result]) -> Iterator[Result]:
        for number, result in enumerate(results, 1):
            found = judge(result, self.recorded[result.trial.scenario], result.effects)
            if not found.is_good:
                self.wrong += 1
                self.say(f"{result.trial}: {'; '.join(found.said)}\n{_last_words(result)}")
            if number % SAY_EVERY == 0:
                self.say(f"{number} done, {self.wrong} not as they should be")
            yield result

    def _margin_left(self) -> float:
        """Seconds until nothing that was sent can still arrive (rule 23)."""
        over = (it.ended_at + _window(it) - time.monotonic() for it in self.results)
        left = max(over, default=0.0)
        return max(0.0, min(left, SHORT_MARGIN_SECONDS) if self.options.short else left)


def main(arguments: Sequence[str]) -> int:
    """Run the matrix; returns the exit status."""
    options = parse(arguments)
    if options.mutant:
        MUTANTS[options.mutant]()
    matrix = Matrix(options, random.Random(options.seed))
    with _ground(options) as (spare, folder, pool):
        matrix.record(pool)
        _kill_all(matrix, pool)
        measured = _takeovers(matrix, spare, folder)
        judged = matrix.judged()
    found = report.figures(judged, measured)
    found["seconds"] = round(time.monotonic() - matrix.began)
    print(report.write(found, options.out))
    return int(any(found[name] for name in WRONG))


@contextmanager
def _ground(options: Options) -> Iterator[tuple[str, Path, Lanes]]:
    """Databases, a mail server, a seed repository and lanes; yields a spare database too."""
    base = f"kedge_crash_{os.getpid()}"
    with ExitStack() as stack:
        refunds = any(BY_NAME[name].refunds for name in options.only)
        opened = stack.enter_context(shops.opening(base)) if refunds else None
        wanted = {BY_NAME[name].service for name in options.only}
        stack.enter_context(services.opening(sorted(wanted - {""})))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kedge-crash-")))
        template = stack.enter_context(databases.template(base))
        warm(template, folder)
        copies = databases.copies(template, base, options.lanes + 1)
        spare, *names = stack.enter_context(copies)
        maildir = folder / "mail"
        if refunds or any(BY_NAME[name].pushes for name in options.only):
            stack.enter_context(mailbox.sink(maildir))
        stack.callback(ground.forget_rings)
        seed = worlds.seed_repository(folder / "seed")
        shop = opened() if opened is not None else None
        common = Common(folder, maildir, seed, options.patience, shop)
        pool = stack.enter_context(lanes(names, common))
        yield spare, folder, pool


def _takeovers(matrix: Matrix, spare: str, folder: Path) -> list[float]:
    count = matrix.options.takeovers
    if not count:
        return []
    matrix.say(f"{count} workers of real RQ are killed")
    try:
        return list(takeover.measure(spare, folder, count))
    except takeover.NoTakeoverError as error:
        log = (folder / "crew.log").read_text()[-LAST_WORDS:]
        raise SystemExit(f"takeover failed: {error}\n{log}") from error


def _kill_all(matrix: Matrix, pool: Lanes) -> None:
    """One kill everywhere; then, as far as time goes, more kills where the first ones led."""
    options, rng = matrix.options, matrix.rng
    recorded = [matrix.recorded[name] for name in sorted(matrix.recorded)]
    singles = [trial for it in recorded for trial in plan.singly(it)]
    chosen = plan.short(singles, rng) if options.short else _slow_first(singles)
    once = matrix.kill(pool, chosen, "one kill")
    further = plan.again(once, rng) if options.depth >= TWICE else []
    if options.short:
        further = plan.unseen(further, chosen, rng)
    twice = matrix.kill_some(pool, further, "one more kill in the recovery", options.again)
    if options.statements:
        matrix.kill_some(pool, matrix.statements(pool), "one SQL statement", options.statements)
    if options.depth > TWICE:
        matrix.kill_some(pool, plan.again(twice, rng), "a third kill", options.thrice)


def _slow_first(singles: list[Trial]) -> list[Trial]:
    """Those that wait for the margins of production begin first; rule 9 asks for one of each."""
    unhurried = {scenario.name for scenario in UNHURRIED}
    slow = {trial.scenario: trial for trial in singles if trial.scenario in unhurried}
    return [*slow.values(), *(trial for trial in singles if trial.scenario not in unhurried)]


def _window(result: Result) -> float:
    """How long after its intent a call of this trial may still arrive, in seconds."""
    tools = {done.tool for done in result.end.actions} if result.end else set()
    windows = (TOOLS[name].budget_seconds + TOOLS[name].margin_seconds for name in tools)
    return max(windows, default=0.0)


def _last_words(result: Result) -> str:
    """What the processes of a trial said at last."""
    said = result.place.folder / "said"
    return said.read_text(errors="replace")[-LAST_WORDS:] if said.exists() else ""
