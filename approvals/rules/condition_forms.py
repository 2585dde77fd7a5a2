"""How the conditions of a rule are written: `"if": {"magnitude": {"files": {"over": 10}}, …}`."""

from typing import Any, Final

from approvals.rules import classes
from approvals.rules.conditions import (
    BYTES,
    CURRENCY,
    DIFF,
    EQUALS,
    FILES,
    IN,
    MAGNITUDE,
    NUMBERS,
    OVER,
    PARAMETERS,
    PREFIX,
    REVERSIBILITY,
    SUMMED,
    SUMS,
    TARGET,
    UNDER,
    Condition,
    Window,
)
from approvals.rules.pointers import is_pointer
from approvals.rules.reading import Reader

Json = Any

SUBJECTS: Final = (TARGET, MAGNITUDE, PARAMETERS, DIFF, SUMS, REVERSIBILITY)
MOST: Final = 50
MOST_SUMS: Final = 8
LONGEST_WINDOW_SECONDS: Final = 366 * 24 * 3600
LONGEST_TEXT: Final = 2000
# The largest whole number that canonical JSON keeps.
MOST_NUMBER: Final = 2**53 - 1

Found = list[Condition]


def read(reader: Reader, value: Json, path: str) -> tuple[Condition, ...]:
    """All conditions of a rule; each must hold."""
    forms = {
        TARGET: _target,
        MAGNITUDE: _magnitude,
        PARAMETERS: _parameters,
        DIFF: _diff,
        SUMS: _sums,
        REVERSIBILITY: _reversibility,
    }
    members = reader.some_of(value, path, SUBJECTS)
    return tuple(
        condition
        for subject, said in members.items()
        for condition in forms[subject](reader, said, f"{path}/{subject}")
    )


def _target(reader: Reader, value: Json, path: str) -> Found:
    members = reader.some_of(value, path, (PREFIX, EQUALS))
    return [
        Condition(TARGET, TARGET, test, reader.text(said, f"{path}/{test}", LONGEST_TEXT))
        for test, said in members.items()
    ]


def _magnitude(reader: Reader, value: Json, path: str) -> Found:
    found: Found = []
    for name, said in reader.some_of(value, path, (*NUMBERS, CURRENCY)).items():
        at = f"{path}/{name}"
        if name != CURRENCY:
            found += _limits(reader, said, at, MAGNITUDE, name)
            continue
        for test, wanted in reader.some_of(said, at, (EQUALS, IN)).items():
            read_one = _currency if test == EQUALS else _currencies
            found.append(Condition(MAGNITUDE, name, test, read_one(reader, wanted, f"{at}/{test}")))
    return found


def _currency(reader: Reader, value: Json, path: str) -> str:
    return reader.text(value, path, LONGEST_TEXT)


def _currencies(reader: Reader, value: Json, path: str) -> list[str]:
    found = reader.items(value, path, MOST)
    return [_currency(reader, each, f"{path}/{index}") for index, each in enumerate(found)]


def _parameters(reader: Reader, value: Json, path: str) -> Found:
    found: Found = []
    if not isinstance(value, dict) or not 1 <= len(value) <= MOST:
        reader.refuse(path, f"must be an object of 1 to {MOST} pointers.", 'Such as {"/to": …}.')
        return found
    for pointer, said in value.items():
        at = f"{path}/{pointer.replace('~', '~0').replace('/', '~1')}"
        if not is_pointer(pointer):
            reader.refuse(at, "is no JSON pointer.", "Begin with a slash, such as /to/0.")
            continue
        members = reader.some_of(said, at, (EQUALS, IN, OVER, UNDER))
        for test in (EQUALS, IN):
            if test in members:
                wanted = members[test]
                if test == IN:
                    wanted = reader.items(wanted, f"{at}/{test}", MOST)
                found.append(Condition(PARAMETERS, pointer, test, wanted))
        limits = {test: said for test, said in members.items() if test in (OVER, UNDER)}
        if limits:
            found += _limits(reader, limits, at, PARAMETERS, pointer)
    return found


def _diff(reader: Reader, value: Json, path: str) -> Found:
    members = reader.some_of(value, path, (BYTES, FILES))
    return [
        condition
        for name, said in members.items()
        for condition in _limits(reader, said, f"{path}/{name}", DIFF, name)
    ]


def _sums(reader: Reader, value: Json, path: str) -> Found:
    found: Found = []
    for index, said in enumerate(reader.items(value, path, MOST_SUMS)):
        at = f"{path}/{index}"
        members = reader.members(said, at, ("of", "seconds"), (OVER, UNDER))
        if not members:
            continue
        of = reader.one_of(members["of"], f"{at}/of", SUMMED)
        seconds = reader.whole(members["seconds"], f"{at}/seconds", LONGEST_WINDOW_SECONDS)
        limits = {test: said for test, said in members.items() if test in (OVER, UNDER)}
        found += _limits(reader, limits, at, SUMS, Window(of, seconds))
    return found


def _reversibility(reader: Reader, value: Json, path: str) -> Found:
    named = [
        reader.one_of(said, f"{path}/{index}", classes.CLASSES)
        for index, said in enumerate(reader.items(value, path, len(classes.CLASSES)))
    ]
    reader.differ(named, path)
    return [Condition(REVERSIBILITY, REVERSIBILITY, IN, named)]


def _limits(reader: Reader, value: Json, path: str, subject: str, key: str | Window) -> Found:
    members = reader.some_of(value, path, (OVER, UNDER))
    return [
        Condition(subject, key, test, reader.whole(limit, f"{path}/{test}", MOST_NUMBER, least=0))
        for test, limit in members.items()
    ]
