"""Lines and their chain: each names its number and the digest of the line before. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from canonical import digests
from reconciliation.journal.port import Line, Mark

Json = Any

# What the walk over lines may find.
BROKEN: Final = "journal_broken"
LOST: Final = "journal_lost"


def encoded(fields: Mapping[str, Json], after: Mark) -> bytes:
    """The bytes of the line that follows `after`, without an end of line."""
    told = {**fields, "seq": after.seq + 1, "before": after.digest}
    return json.dumps(told, sort_keys=True).encode()


def decoded(content: bytes) -> dict[str, Json] | None:
    """The members of a line; None for a torn one, or for what is none of ours."""
    try:
        told = json.loads(content)
    except ValueError:
        return None
    return told if isinstance(told, dict) and "attempt" in told else None


def line(content: bytes, told: Mapping[str, Json], *, number: int, at: str) -> Line:
    """A line from its bytes. `number` is its own where it says none, as those of the first form."""
    seq, before = told.get("seq"), told.get("before")
    fields = {name: value for name, value in told.items() if name not in ("seq", "before")}
    return Line(
        seq=seq if isinstance(seq, int) else number,
        digest=digests.sha256_hex(content),
        before=before if isinstance(before, str) else None,
        fields=fields,
        at=at,
    )


class Walk:
    """Reads on from a mark and says what does not follow: a gap, another line, an end too early.

    `end` is the last line seen, or the mark it began at.
    """

    def __init__(self, since: Mark) -> None:
        self.since = self.end = since
        self.troubles: set[str] = set()
        self._marked_seen = since.seq == 0
        self._last: Line | None = None

    def through(self, lines: Iterator[Line]) -> Iterator[Line]:
        """The lines behind the mark. Ask for `troubles` afterwards."""
        for each in lines:
            self._follow(each)
            if each.seq == self.since.seq:
                self._marked_seen = True
                if each.digest != self.since.digest:
                    self.troubles.add(BROKEN)
            elif each.seq > self.since.seq:
                yield each
        if not self._marked_seen or self.end.seq < self.since.seq:
            self.troubles.add(LOST)
            self.end = self.end if self._last else Mark()

    def _follow(self, each: Line) -> None:
        last, self._last = self._last, each
        if last is None:
            # What was deleted in time lies before; what is missing behind the mark does not.
            if each.seq > max(self.since.seq, 1) and self.since.seq:
                self.troubles.add(BROKEN)
        elif each.seq != last.seq + 1 or (each.before is not None and each.before != last.digest):
            self.troubles.add(BROKEN)
        self.end = Mark(each.seq, each.digest, each.at)
