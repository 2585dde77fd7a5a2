"""On which effects a rule bears: what can be tested of an effect, and what cannot be told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from approvals.rules import classes
from approvals.rules.pointers import ABSENT, at
from approvals.rules.reading import is_whole
from canonical import json as canonical

Json = Any

NUMBERS: Final = ("amount", "recipients", "lines", "files", "deletions")
CURRENCY: Final = "currency"
EFFECTS: Final = "effects"  # how many, instead of how much
SUMMED: Final = (*NUMBERS, EFFECTS)
BYTES: Final = "bytes"
FILES: Final = "files"

TARGET: Final = "target"
MAGNITUDE: Final = "magnitude"
PARAMETERS: Final = "parameters"
DIFF: Final = "diff"
SUMS: Final = "sums"
REVERSIBILITY: Final = "reversibility"

EQUALS: Final = "equals"
PREFIX: Final = "prefix"
IN: Final = "in"
OVER: Final = "over"
UNDER: Final = "under"

UNKNOWN: Final = object()


@dataclass(frozen=True)
class Window:
    """A sum over time: of what, and over how many seconds until now, this effect included."""

    of: str
    seconds: int


@dataclass(frozen=True)
class Effect:
    """What is judged: an effect as it was asked, what its dry run showed, and what came before.

    `tenant` is its slug. `magnitude` is the tool's own. `diff_files` is None when the diff is of
    no kind whose files can be counted. `sums` has each `Window` that `sums_needed` names; a sum
    that is not there is not known. `reversibility` is the tenant's word; "" is the worst.
    """

    tool: str
    tenant: str
    target: str = ""
    magnitude: Mapping[str, Json] = field(default_factory=dict)
    parameters: Json = None
    diff_bytes: int | None = None
    diff_files: int | None = None
    sums: Mapping[Window, int] = field(default_factory=dict)
    reversibility: str = ""


@dataclass(frozen=True)
class Condition:
    """One test: of a `subject` (and a `key` in it), by a `test`, against a `value`."""

    subject: str
    key: str | Window
    test: str
    value: Json

    def holds(self, effect: Effect) -> bool | None:
        """True, False, or None when it cannot be told."""
        found = _found(self, effect)
        if found is UNKNOWN:
            return None
        if self.test in (OVER, UNDER):
            return _compare(self.test, found, self.value)
        if found is ABSENT:  # what is not there equals nothing
            return False
        if self.test == PREFIX:
            return str(found).startswith(self.value)
        values = self.value if self.test == IN else [self.value]
        return any(_same(found, value) for value in values)


def all_hold(conditions: tuple[Condition, ...], effect: Effect) -> bool | None:
    """False as soon as one does not hold, else None if one cannot be told."""
    answers = [condition.holds(effect) for condition in conditions]
    if False in answers:
        return False
    return None if None in answers else True


def _found(condition: Condition, effect: Effect) -> Json:
    key = condition.key
    if isinstance(key, Window):
        return effect.sums.get(key, UNKNOWN)
    if condition.subject == PARAMETERS:
        return at(effect.parameters, key)
    if condition.subject == MAGNITUDE and key == CURRENCY:
        return effect.magnitude.get(key, "")
    if condition.subject == MAGNITUDE:  # a tool leaves out what is zero
        return _count(effect.magnitude.get(key, 0))
    if condition.subject == DIFF:
        return _count(effect.diff_bytes if key == BYTES else effect.diff_files)
    return effect.target if key == TARGET else classes.as_known(effect.reversibility)


def _count(value: Json) -> Json:
    return value if is_whole(value) and value >= 0 else UNKNOWN


def _compare(test: str, found: Json, limit: int) -> bool | None:
    """A limit on what is no number cannot be told."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return found > limit if test == OVER else found < limit


def _same(found: Json, value: Json) -> bool:
    """The same JSON: 1 is not true, and "1" is not 1."""
    return canonical.dumps(found) == canonical.dumps(value)
