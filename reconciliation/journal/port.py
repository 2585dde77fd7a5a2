"""The port of a journal room: somewhere outside PostgreSQL to which lines are only ever added.

Every room passes one suite, `tests/reconciliation/journal/test_rooms.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Json = Any


@dataclass(frozen=True)
class Line:
    """One line as it stands in the journal.

    `seq` counts from 1. `before` is the digest of the line before it, None in lines of the first
    form. `at` says where it begins, in words of its room, so that reading can begin there.
    """

    seq: int
    digest: str
    before: str | None
    fields: Mapping[str, Json]
    at: str


@dataclass(frozen=True)
class Mark:
    """A line that was read before: its number, digest and place. Number 0 is before the first."""

    seq: int = 0
    digest: str = ""
    at: str = ""


Knows = Callable[[Line], bool]


class Claim(Protocol):
    """While it is held, no other PostgreSQL may be worked for with this journal."""

    def release(self) -> None: ...


class Room(Protocol):
    """Where lines are kept. Whatever cannot be done raises `JournalError`, in words for operators."""

    @property
    def name(self) -> str:
        """What operators call it: its path, or its address."""

    def place(self, *, make: bool) -> str:
        """Which journal this is; "" when it is none yet. A copy of its folder is another one.

        `make`: begin one here when there is none.
        """

    def add(self, fields: Mapping[str, Json], *, knows: Knows | None = None) -> Line:
        """Add a line after the newest one, durably. When it raises, nothing may be sent.

        `knows`: whether the record that is written for has the attempt of a line. Where no claim
        keeps others away, nothing is added after a newest line that it does not know.
        """

    def know(self, compared: Mark) -> None:
        """The record was compared up to here: what is looked for at the end is looked for behind."""

    def newest(self) -> Line | None:
        """The line that was added last, by whomever."""

    def read(self, since: Mark) -> Iterator[Line]:
        """The lines from the marked one on, it first, oldest first; all that are kept when it is
        not found. What a line was torn of was never acted on and is left out."""

    def find(self, attempts: set[str]) -> set[str]:
        """Which of these attempts have a line among those that are kept; newest lines first."""

    def claim(self, of: str) -> Claim:
        """Say that the PostgreSQL `of` is worked for. Raises `ClaimedError` while another is."""

    def forget(self, *, before: Mark, older_than: float) -> int:
        """Delete lines before the marked one that are older than this time; returns how many."""
