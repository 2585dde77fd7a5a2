"""Judges a trial by what the outside world has and by the run that nobody interrupted."""

from collections.abc import Mapping
from dataclasses import dataclass

from checkpoints.states import FINAL, HELD, OUTCOME_UNKNOWN
from reconciliation import states as world
from tests.crash.record import Done, End
from tests.crash.scenarios import BY_NAME, Scenario
from tests.crash.trials import Result
from tests.crash.worlds import Effect, per_key


@dataclass(frozen=True)
class Judged:
    """What is wrong with one trial; `said` has a sentence for everything."""

    duplicates: int = 0
    lost: bool = False
    not_unique: bool = False
    held: bool = False
    invalid: bool = False
    said: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return not self.said


def judge(result: Result, reference: Result, effects: tuple[Effect, ...]) -> Judged:
    """Compare a trial, and what its world has now, with the uninterrupted run."""
    scenario, end, held = BY_NAME[result.trial.scenario], result.end, result.held
    invalid = _invalid(result)
    extra = _extra(effects, reference.effects)
    said = [f"{extra} more effects than asked for"] if extra else []
    if end is None or not _is_accounted_for(end):
        where = "it did not end" if end is None else f"{end.status} without a case"
        return Judged(extra, lost=True, said=(*said, f"lost: {where}; {result.trouble}"))
    wrong = [sentence for each in held for sentence in _held_wrongly(each, scenario)]
    if held or (scenario.cancelled and result.fired):
        wrong += _badly_decided(end, effects)
    else:
        wrong += _differences(end, reference, effects)
    return Judged(
        duplicates=extra,
        not_unique=bool(wrong),
        held=bool(held),
        invalid=bool(invalid),
        said=(*said, *wrong, *invalid),
    )


def _invalid(result: Result) -> list[str]:
    """A trial whose fault did not strike, or struck elsewhere, proves nothing."""
    said = [result.trouble] if result.trouble else []
    if result.fired != len(result.trial.kills):
        said.append(f"only {result.fired} of {len(result.trial.kills)} kills struck")
    return said


def _extra(effects: tuple[Effect, ...], asked: tuple[Effect, ...]) -> int:
    """Counted per ledger key, and over all: a repeat under another key is one too (rule 23)."""
    repeated = sum(count - 1 for count in per_key(list(effects)).values())
    return max(repeated, len(effects) - len(asked), 0)


def _is_accounted_for(end: End) -> bool:
    return end.status in FINAL or (end.status == HELD and bool(end.case))


def _held_wrongly(held: End, scenario: Scenario) -> list[str]:
    """A person is called only where nobody else can know."""
    unknown = held.unknown
    if held.case != OUTCOME_UNKNOWN or unknown is None:
        return [f"held for {held.case}: {held.sentence}"]
    if unknown.tool not in scenario.nobody_can_know or unknown.has_receipt:
        return [f"held, although {unknown.tool} could be known"]
    return []


def _badly_decided(end: End, effects: tuple[Effect, ...]) -> list[str]:
    """After a person's word the run ends, and the ledger says what the world has."""
    said = [f"damaged: {sentence}" for sentence in end.damage]
    if end.status not in FINAL:
        said.append(f"{end.status} after a person's word: {end.sentence}")
    return said + _against_the_ledger(end.actions, per_key(list(effects)))


def _differences(end: End, reference: Result, effects: tuple[Effect, ...]) -> list[str]:
    assert reference.end is not None
    said = [f"damaged: {sentence}" for sentence in end.damage]
    if end.result != reference.end.result:
        said.append(
            f"ended otherwise: {end.result[:2000]} instead of {reference.end.result[:2000]}"
        )
    if sorted(it.what for it in effects) != sorted(it.what for it in reference.effects):
        said.append(f"the world has {[it.what for it in effects]}")
    if end.case:
        said.append(f"ended with an open case: {end.case}")
    return said + _against_the_ledger(end.actions, per_key(list(effects)))


def _against_the_ledger(actions: tuple[Done, ...], count: Mapping[str, int]) -> list[str]:
    """Settled *happened* means once in the world; settled otherwise means not at all."""
    said = []
    for done in actions:
        expected = int(done.outcome == world.HAPPENED)
        if done.stands == world.SETTLED and count[done.key] != expected:
            said.append(f"the ledger says {done.outcome} of {done.tool}: {count[done.key]} found")
    return said
