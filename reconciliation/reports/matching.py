"""A provider's lines beside our ledger: matched, absent, different, there but unknown to us. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from canonical import money
from reconciliation import states
from reconciliation.reports.columns import Line

MATCHED: Final = "matched"
DIFFERENT: Final = "different"
ABSENT: Final = "absent"
UNKNOWN_TO_US: Final = "unknown_to_us"
UNREADABLE: Final = "unreadable"
KINDS: Final = (MATCHED, DIFFERENT, ABSENT, UNKNOWN_TO_US, UNREADABLE)
# What came to nothing, as the ledger has it.
CAME_TO_NOTHING: Final = (states.DID_NOT_HAPPEN, states.REFUSED)
OPEN: Final = (states.OPEN, states.UNKNOWN)


@dataclass(frozen=True)
class Effect:
    """One effect of the ledger as far as a report can speak of it.

    `names` are its own id and those of its attempts. `amount` in minor units, None for what is
    no money. `sent_at` is None for what was never sent; `over_at` is when even a late arrival of
    its last attempt is over.
    """

    id: UUID
    run_id: UUID
    key: bytes
    names: frozenset[UUID]
    outcome: str
    amount: int | None
    currency: str
    sent_at: datetime | None
    over_at: datetime | None


@dataclass(frozen=True)
class Period:
    """The time that the report covers, both ends in."""

    since: datetime
    until: datetime


@dataclass(frozen=True)
class Match:
    """What one line, or one effect without a line (`number` 0), comes to; `said` in a sentence.

    `answers`: nobody knew what became of the effect, and the line says it.
    """

    kind: str
    number: int
    effect: Effect | None
    line: Line | None
    said: str
    answers: bool = False

    @property
    def money(self) -> tuple[int | None, str]:
        """Minor units and currency: the line's, else the effect's."""
        told = self.line or self.effect
        return (told.amount, told.currency) if told else (None, "")


def match(lines: Sequence[Line], effects: Iterable[Effect], period: Period) -> list[Match]:
    """Each line in its order, then the effects of the period that no line names."""
    every = list(effects)
    by_name = {name: effect for effect in every for name in effect.names}
    by_key = {effect.key: effect for effect in every}
    first: dict[UUID, int] = {}
    matches = [_of_line(line, _named(line, by_name, by_key), first) for line in lines]
    return [*matches, *_absent(every, set(first), period)]


def _named(
    line: Line, by_name: Mapping[UUID, Effect], by_key: Mapping[bytes, Effect]
) -> list[Effect]:
    found = [by_name[name] for name in line.ids if name in by_name]
    found += [by_key[key] for key in line.keys if key in by_key]
    return list({effect.id: effect for effect in found}.values())


def _of_line(line: Line, named: list[Effect], first: dict[UUID, int]) -> Match:
    if not named:
        return Match(UNKNOWN_TO_US, line.number, None, line, "Nothing in the ledger has it.")
    effect = named[0]
    before = [first[each.id] for each in named if each.id in first]
    for each in named:
        first.setdefault(each.id, line.number)
    trouble = _trouble(line, named, before)
    if trouble:
        return Match(DIFFERENT, line.number, effect, line, trouble)
    if effect.outcome in OPEN:
        said = "The report has it; nobody knew so far."
        return Match(MATCHED, line.number, effect, line, said, answers=True)
    return Match(MATCHED, line.number, effect, line, "Report and ledger say the same.")


def _trouble(line: Line, named: list[Effect], before: list[int]) -> str:
    """What is at odds between a line and its effect, "" for nothing."""
    effect = named[0]
    if len(named) > 1:
        return f"The line names {len(named)} of our effects."
    if before:
        return f"Line {before[0]} names the same effect: it is there twice."
    if effect.sent_at is None:
        return "The report has it, and the ledger says it was never sent."
    if not line.done:
        if effect.outcome in CAME_TO_NOTHING:
            return ""
        return "The report says that it was not done."
    if effect.outcome not in (*OPEN, states.HAPPENED):
        return f"The report has it, and the ledger says {effect.outcome.replace('_', ' ')}."
    return _size(line, effect)


def _size(line: Line, effect: Effect) -> str:
    if line.amount is None or effect.amount is None:
        return ""
    # Money that goes out has a minus at some providers and none at others.
    theirs, ours = (abs(line.amount), line.currency), (abs(effect.amount), effect.currency)
    if theirs == ours or (not line.currency and theirs[0] == ours[0]):
        return ""
    return f"The report says {money.text(*theirs)}, the ledger {money.text(*ours)}."


def _absent(effects: list[Effect], named: set[UUID], period: Period) -> Iterator[Match]:
    for effect in effects:
        if effect.id in named or effect.sent_at is None or effect.over_at is None:
            continue
        # Of what may still arrive, or was sent before the report begins, it says nothing.
        if effect.sent_at < period.since or effect.over_at > period.until:
            continue
        if effect.outcome in OPEN:
            yield Match(ABSENT, 0, effect, None, "No line has it; nobody knew so far.")
        elif effect.outcome == states.HAPPENED:
            yield Match(ABSENT, 0, effect, None, "No line has it, and the ledger says it happened.")
