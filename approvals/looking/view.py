"""The text a model is given: numbered lines in named parts, bounded, what is left out counted. Pure.

Every character that cannot be seen stands there as its mark, so a line is a line and nothing hides.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Final, NamedTuple

from canonical import digests, display

MOST_CHARACTERS: Final = 24_000
MOST_OF_A_PART: Final = 6_000
LONGEST_LINE: Final = 400
LONGEST_NAME: Final = 200
TAG: Final = "second-look-view"


class Raw(NamedTuple):
    """A line as it is stored. `part` names where its page shows it; `old`, `new` number it there."""

    text: str
    part: str = ""
    old: int | None = None
    new: int | None = None


class Line(NamedTuple):
    """A line as the model reads it: `number` counts through the whole text, from 1."""

    number: int
    path: str
    part: str
    text: str
    old: int | None
    new: int | None


@dataclass(frozen=True)
class LeftOut:
    """What did not fit: whole parts, lines of parts that are there, characters of lines."""

    parts: int = 0
    lines: int = 0
    characters: int = 0

    def as_json(self) -> dict[str, int]:
        """For the record."""
        return asdict(self)


@dataclass(frozen=True)
class View:
    """What is shown to a model, whole."""

    text: str
    lines: tuple[Line, ...]
    left_out: LeftOut

    @property
    def digest(self) -> str:
        """Of every character the model was given."""
        return digests.tagged(TAG, self.text)

    def line(self, number: int) -> Line | None:
        """The line of this number; None when none was shown."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else None


@dataclass
class Writer:
    """Writes a view part by part, until it is full. Then parts are counted, not written."""

    written: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    room: int = MOST_CHARACTERS
    parts_out: int = 0
    lines_out: int = 0
    characters_out: int = 0

    @property
    def is_full(self) -> bool:
        """True if the next part would only be counted."""
        return self.room <= 0

    def leave_out(self, parts: int) -> None:
        """Count parts that are not even begun."""
        self.parts_out += parts

    def part(self, name: str, raws: Iterable[Raw], *, total: int | None = None) -> None:
        """Write as many lines of a part as fit; `total` is how many it has, when `raws` has fewer."""
        if self.is_full:
            self.leave_out(1)
            return
        path = _bounded(name, LONGEST_NAME)[0]
        self._write(f"part {path}")
        room, count, shown = min(MOST_OF_A_PART, self.room), 0, 0
        for count, raw in enumerate(raws, start=1):
            if room > 0:
                room -= self._line(path, raw)
                shown = count
            elif total is not None:
                break
        out = (count if total is None else total) - shown
        if out > 0:
            self.lines_out += out
            self._write(f"({out} more lines of this part are left out)")

    def done(self) -> View:
        """The view as written."""
        out = LeftOut(self.parts_out, self.lines_out, self.characters_out)
        if out.parts:
            self._write(f"({out.parts} more parts are left out)")
        return View("\n".join(self.written), tuple(self.lines), out)

    def _line(self, path: str, raw: Raw) -> int:
        text, cut = _bounded(raw.text, LONGEST_LINE)
        self.characters_out += cut
        number = len(self.lines) + 1
        self.lines.append(Line(number, path, raw.part, text, raw.old, raw.new))
        rest = f" ({cut} more characters are left out)" if cut else ""
        return self._write(f"{number}| {text}{rest}")

    def _write(self, text: str) -> int:
        self.written.append(text)
        self.room -= len(text) + 1
        return len(text) + 1


def as_lines(text: str, part: str = "", first: int = 1) -> Iterator[Raw]:
    """A text as lines, numbered from `first` as its page counts them."""
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=first):
        yield Raw(line, part, None, number)


def _bounded(text: str, most: int) -> tuple[str, int]:
    """The beginning of a text with every hidden character as its mark, and how much is cut."""
    clipped = display.clip(text, most)
    return display.visible(clipped.text.replace("\t", "    ")), clipped.cut
