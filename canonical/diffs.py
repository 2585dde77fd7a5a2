"""What differs between two JSON values, by path; and the door to the diffs of texts.

The difference is empty exactly when the canonical bytes are equal: `true` and 1 differ, 1 and
1.0 do not.
"""

from dataclasses import dataclass
from typing import Literal

from canonical.fileclasses import ClassSummary, FileClass, classes
from canonical.json import Json, dumps, normal
from canonical.strict import shown_key
from canonical.unified import FileDiff, Hunk, Row, parse_unified

__all__ = [
    "Change",
    "ClassSummary",
    "FileClass",
    "FileDiff",
    "Hunk",
    "Row",
    "classes",
    "json_changes",
    "json_type",
    "parse_unified",
]

ChangeKind = Literal["added", "removed", "changed", "type_changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: a JSON pointer, what happened there, and both values.

    An added value has no old one and a removed value no new one; both then read None, so ask
    `kind`, not the value. In a list, a removed item counts its place in the old list, any other in
    the new one.
    """

    path: str
    kind: ChangeKind
    old: Json
    new: Json


def json_changes(old: object, new: object) -> list[Change]:
    """Return the differences between two JSON values, keys in order.

    Raises `CanonicalError` when one of them has no canonical form. Of two lists, equal beginnings
    and ends are left aside, and what lies between is compared item by item.
    """
    changes: list[Change] = []
    _compare("", normal(old)[1], normal(new)[1], changes)
    return changes


def _compare(path: str, old: Json, new: Json, changes: list[Change]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        _compare_objects(path, old, new, changes)
    elif isinstance(old, list) and isinstance(new, list):
        _compare_lists(path, old, new, changes)
    elif json_type(old) != json_type(new):
        changes.append(Change(path, "type_changed", old, new))
    elif old != new:
        changes.append(Change(path, "changed", old, new))


def _compare_objects(
    path: str, old: dict[str, Json], new: dict[str, Json], changes: list[Change]
) -> None:
    for key in sorted(old.keys() | new.keys()):
        where = f"{path}/{shown_key(key)}"
        if key not in old:
            changes.append(Change(where, "added", None, new[key]))
        elif key not in new:
            changes.append(Change(where, "removed", old[key], None))
        else:
            _compare(where, old[key], new[key], changes)


def _compare_lists(path: str, old: list[Json], new: list[Json], changes: list[Change]) -> None:
    first, last = _frame(old, new)
    old_end, new_end = len(old) - last, len(new) - last
    both_end = min(old_end, new_end)
    for index in range(first, both_end):
        _compare(f"{path}/{index}", old[index], new[index], changes)
    gone = range(both_end, old_end)
    changes += [Change(f"{path}/{index}", "removed", old[index], None) for index in gone]
    come = range(both_end, new_end)
    changes += [Change(f"{path}/{index}", "added", None, new[index]) for index in come]


def _frame(old: list[Json], new: list[Json]) -> tuple[int, int]:
    """How many items two lists share at the beginning, and how many of the rest at the end."""
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and _same(old[first], new[first]):
        first += 1
    last = 0
    while last < shorter - first and _same(old[-1 - last], new[-1 - last]):
        last += 1
    return first, last


def _same(old: Json, new: Json) -> bool:
    # Python finds True == 1, so equality only says "perhaps".
    return old == new and dumps(old) == dumps(new)


def json_type(value: Json) -> str:
    """Return "null", "boolean", "number", "string", "array" or "object"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return {str: "string", list: "array"}.get(type(value), "object")
