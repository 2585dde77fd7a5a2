"""Reading a document of rules: every part is checked, every fault is named with its place."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

Json = Any

MOST_SHOWN: Final = 60


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a document: where (a JSON pointer), what, and what to do."""

    path: str
    said: str
    do: str

    def __str__(self) -> str:
        return f"{self.path or '/'} {self.said}"


class UnreadableRulesError(ValueError):
    """The rules of this version combo cannot be read, so nothing is allowed."""


class Reader:
    """Reads values and keeps what is wrong with them in `problems`.

    What cannot be read comes back as an empty value of its type, so that one reading names all
    faults; it must not be used unless `problems` is empty.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def refuse(self, path: str, said: str, do: str) -> None:
        """Keep one fault."""
        self.problems.append(Problem(path, said, do))

    def members(
        self, value: Json, path: str, needs: Collection[str], may: Collection[str] = ()
    ) -> dict[str, Json]:
        """An object with all members it needs and none but those it may have; else an empty one."""
        if not isinstance(value, dict):
            self.refuse(path, f"must be an object, not {_shown(value)}.", "Write it as {…}.")
            return {}
        missing = [name for name in needs if name not in value]
        unknown = sorted(str(name) for name in set(value) - set(needs) - set(may))
        if missing:
            self.refuse(path, f"lacks {', '.join(missing)}.", "Add it.")
        if unknown:
            known = ", ".join([*needs, *may])
            self.refuse(path, f"has unknown members: {', '.join(unknown)}.", f"Known are {known}.")
        return {} if missing or unknown else value

    def some_of(self, value: Json, path: str, may: Collection[str]) -> dict[str, Json]:
        """An object with at least one of these members and no other."""
        found = self.members(value, path, (), may)
        if value == {}:
            self.refuse(
                path, "is empty.", f"Give at least one of {', '.join(may)}, or leave it out."
            )
        return found

    def items(self, value: Json, path: str, most: int, *, least: int = 1) -> list[Json]:
        """A list of `least` to `most` items."""
        if not isinstance(value, list) or not least <= len(value) <= most:
            self.refuse(path, f"must be a list of {least} to {most}.", "Write it as […].")
            return []
        return value

    def whole(self, value: Json, path: str, most: int, *, least: int = 1) -> int:
        """A whole number from `least` to `most`; true and 1.0 are none."""
        if not is_whole(value) or not least <= value <= most:
            said = f"must be a whole number from {least} to {most}, not {_shown(value)}."
            self.refuse(path, said, "Write it without quotes.")
            return least
        return int(value)

    def text(self, value: Json, path: str, longest: int) -> str:
        """Text of 1 to `longest` characters that is not only blank."""
        if not isinstance(value, str) or not value.strip() or len(value) > longest:
            said = f"must be text of 1 to {longest} characters, not {_shown(value)}."
            self.refuse(path, said, "Write it in quotes.")
            return ""
        return value

    def one_of(self, value: Json, path: str, known: Collection[str]) -> str:
        """One word of a closed list."""
        if not isinstance(value, str) or value not in known:
            said = f"is {_shown(value)}, which nothing here knows."
            self.refuse(path, said, f"Choose one of {', '.join(known)}.")
            return ""
        return value

    def flag(self, value: Json, path: str) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            self.refuse(path, f"must be true or false, not {_shown(value)}.", "Without quotes.")
        return value is True

    def differ(self, values: list[str], path: str) -> None:
        """Refuse a list that says the same twice."""
        if len(set(values)) != len(values):
            self.refuse(path, "names one thing twice.", "Name each once.")


def is_whole(value: Json) -> bool:
    """True for a whole number; true and false are none, though Python counts them as 1 and 0."""
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Json) -> str:
    told = repr(value)
    return told if len(told) <= MOST_SHOWN else told[: MOST_SHOWN - 1] + "…"
