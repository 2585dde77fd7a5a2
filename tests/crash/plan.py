"""Which trials there are: from a recording to single kills, from their recoveries to double ones."""

import random
from collections.abc import Iterable, Sequence

from tests.crash.points import (
    HORSE,
    IN_THE_HOOK,
    PARENT,
    REVOKE,
    STATEMENT,
    SWEEP,
    Point,
    until_progress,
)
from tests.crash.scenarios import BY_NAME
from tests.crash.trials import Result, Trial

# Rounds of the sweeper are alike, and each of its duties stands alone.
OTHER_DUTIES_PER_RECOVERY = 2
# Whoever dies here leaves an effect nobody knows of: the recovery finds it out.
IN_DOUBT = ("dispatch:after", "effect:before", "effect:after", "receipt:before")
LEASE_DUTIES = ("lapse:before", "lapse:after", "sweep lapse unlocked:before")


def singly(recorded: Result) -> list[Trial]:
    """Every point of an uninterrupted run that its scenario is killed at."""
    scenario, found = BY_NAME[recorded.trial.scenario], dict.fromkeys(recorded.reached)
    if scenario.slow_remote:
        return _both_ways(scenario.name, Point(HORSE, 0, IN_THE_HOOK))
    trials: list[Trial] = []
    for point in filter(scenario.kills, found):
        if scenario.revoked:
            trials.append(Trial(scenario.name, (point,), REVOKE))
        elif point.role == HORSE:
            ways = _both_ways(scenario.name, point)
            trials += ways if scenario.recovery_kills else [ways[len(trials) % 2]]
        elif point.role != SWEEP:
            trials.append(Trial(scenario.name, (point,)))
        elif scenario.sweeper_kills:
            trials.append(Trial(scenario.name, (point,), sweeps=True))
    return trials


def _both_ways(name: str, point: Point) -> list[Trial]:
    """A horse dies alone and its worker notices, or both die and the sweeper does."""
    return [Trial(name, (point,), PARENT), Trial(name, (point,), SWEEP)]


def at_statements(recorded: Result) -> list[Trial]:
    """Every statement of an uninterrupted run, before and after, of whom its scenario is killed."""
    name, found = recorded.trial.scenario, dict.fromkeys(recorded.reached)
    of_whom = filter(BY_NAME[name].kills, found)
    points = [point for point in of_whom if point.boundary.partition(":")[0] == STATEMENT]
    return [
        Trial(name, (point,), (PARENT, SWEEP)[number % 2], statements=True)
        for number, point in enumerate(points)
    ]


def again(results: Iterable[Result], rng: random.Random) -> list[Trial]:
    """One more kill in every recovery: at each boundary until the run stands somewhere new.

    Runs in the same condition recover alike, so one of them stands for all; what horses do does
    not depend on who noticed, so they die in one of the two ways.
    """
    trials, known = [], set[tuple[str, str, str]]()
    for result in results:
        trial = result.trial
        condition = (trial.scenario, trial.noticed_by, result.conditions[-1])
        if condition in known or not BY_NAME[trial.scenario].recovery_kills:
            continue
        known.add(condition)
        further = _deaths_of(until_progress(result.reached), trial.noticed_by, rng)
        trials += [
            Trial(trial.scenario, (*trial.kills, point), trial.noticed_by) for point in further
        ]
    return trials


def unseen(trials: Sequence[Trial], seen: Iterable[Trial], rng: random.Random) -> list[Trial]:
    """One trial for each boundary at which no other has died yet."""
    died = {trial.kills[-1].boundary for trial in seen}
    fresh = [trial for trial in trials if trial.kills[-1].boundary not in died]
    by_boundary = {trial.kills[-1].boundary: trial for trial in rng.sample(fresh, len(fresh))}
    return list(by_boundary.values())


def sample(trials: Sequence[Trial], count: int, rng: random.Random) -> list[Trial]:
    """At most `count` of them, always the same for the same seed."""
    return list(trials) if len(trials) <= count else rng.sample(trials, count)


def short(trials: Sequence[Trial], rng: random.Random) -> list[Trial]:
    """For each boundary of each role, one trial; scenarios take turns, so that all have some.

    Where an effect is in doubt it is one whose recovery asks the world and is killed too: nobody
    else reconciles.
    """
    trials = [
        trial
        for trial in trials
        if trial.kills[-1].boundary not in IN_DOUBT or _is_found_out(trial)
    ]
    chosen: dict[tuple[str, str], Trial] = {}
    scenarios: dict[str, int] = dict.fromkeys((trial.scenario for trial in trials), 0)
    for trial in rng.sample(trials, len(trials)):
        point = trial.kills[-1]
        place = (point.role, point.boundary)
        rival = chosen.get(place)
        if rival is None:
            chosen[place] = trial
            scenarios[trial.scenario] += 1
        elif scenarios[trial.scenario] < scenarios[rival.scenario] - 1:
            chosen[place] = trial
            scenarios[trial.scenario] += 1
            scenarios[rival.scenario] -= 1
    return list(chosen.values())


def _is_found_out(trial: Trial) -> bool:
    """Whether a horse of its recovery asks the world what became of the effect, and is killed."""
    scenario = BY_NAME[trial.scenario]
    asks = scenario.recovery_kills and not scenario.nobody_can_know
    return asks and trial.noticed_by != SWEEP


def _deaths_of(points: Sequence[Point], noticed_by: str, rng: random.Random) -> list[Point]:
    if noticed_by != SWEEP:
        return [point for point in points if point.role != SWEEP]
    rounds = [point for point in points if point.role == SWEEP]
    leases = [point for point in rounds if point.boundary in LEASE_DUTIES]
    others = [point for point in rounds if point.boundary not in LEASE_DUTIES]
    return leases + rng.sample(others, min(OTHER_DUTIES_PER_RECOVERY, len(others)))
