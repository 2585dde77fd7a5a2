"""The journal as files of this machine, or of a file system that several machines share.

`effects.jsonl` is written to; what is full stands beside it, named by its first line's number.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_UN, flock
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from reconciliation.errors import JournalError
from reconciliation.journal import chain, claims
from reconciliation.journal.port import Claim, Knows, Line, Mark
from tenants import wholefiles

NAME: Final = "effects.jsonl"
PLACE: Final = "place"
FULL: Final = "effects-*.jsonl"
SEGMENT_BYTES: Final = 16 * 1024 * 1024
FIRST_LOOK_BYTES: Final = 16 * 1024
NO_SPACE: Final = 28


class LocalRoom:
    """A folder of files. One write per line, under the file's lock; synced before it counts."""

    def __init__(self, folder: Path, segment_bytes: int = SEGMENT_BYTES) -> None:
        self.folder, self.path = folder, folder / NAME
        self.name = str(self.path)
        self._segment_bytes = segment_bytes

    def place(self, *, make: bool) -> str:
        """Nonce, inode and time of change of a file: a copy has another inode or another time."""
        with _as_sentence(self.name):
            path = self.folder / PLACE
            if make and not path.exists():
                _create(path, str(uuid4()).encode())
            if not path.exists():
                return ""
            stat = path.stat()
            return f"file:{path.read_text().strip()}:{stat.st_ino}:{stat.st_ctime_ns}"

    def add(self, fields: Mapping[str, Any], *, knows: Knows | None = None) -> Line:  # noqa: ARG002 - its claim
        """See the port. A claim keeps others away, so nobody is asked."""
        made = False
        with _as_sentence(self.name):
            created = not self.path.exists()
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = self._locked()
            try:
                try:
                    handle, made = self._room_for_more(handle)
                    added = self._added(handle, fields)
                finally:
                    # Others may write meanwhile: what is synced is everything before the end.
                    flock(handle, LOCK_UN)
                os.fdatasync(handle)  # the line and the file's length; when it was may be lost
            finally:
                os.close(handle)
            if created or made:
                wholefiles.sync(self.folder)
            return added

    def know(self, compared: Mark) -> None:
        """Nothing: the end of a file is found from its end."""

    def newest(self) -> Line | None:
        """See the port."""
        with _as_sentence(self.name):
            for path in [self.path, *sorted(self.folder.glob(FULL), reverse=True)]:
                content = _last_of(path)
                if content is not None:
                    return chain.line(content, chain.decoded(content) or {}, number=0, at="")
        return None

    def read(self, since: Mark) -> Iterator[Line]:
        """See the port. `at` of a line is its file's first number and the place of its first byte."""
        with _as_sentence(self.name):
            first, _, offset = since.at.partition(":")
            files = self._files()
            begin = [n for n, (number, _) in enumerate(files) if str(number) == first]
            if begin and self._stands(files[begin[0]][1], int(offset), since):
                yield from self._lines(files[begin[0] :], int(offset), since.seq)
            else:
                yield from self._lines(files, 0, 1)

    def find(self, attempts: set[str]) -> set[str]:
        """See the port."""
        found: set[str] = set()
        with _as_sentence(self.name):
            for _, path in reversed(self._files()):
                for _, content in reversed(list(_pieces(path, 0))):
                    told = chain.decoded(content)
                    if told is not None and told["attempt"] in attempts:
                        found.add(told["attempt"])
                        if found == attempts:
                            return found
        return found

    def claim(self, of: str) -> Claim:
        """See the port."""
        with _as_sentence(self.name):
            self.folder.mkdir(parents=True, exist_ok=True)
            return claims.take(self.folder / "claim", of)

    def forget(self, *, before: Mark, older_than: float) -> int:
        """Delete full files whose last line is that old; the one that is written to stays."""
        gone = 0
        with _as_sentence(self.name):
            for _, path in self._files()[:-1]:
                lines = [
                    told for _, content in _pieces(path, 0) if (told := chain.decoded(content))
                ]
                last = lines[-1] if lines else {}
                if last.get("seq", 0) >= before.seq or last.get("at", 0) >= older_than:
                    break
                path.unlink()
                gone += len(lines)
            if gone:
                wholefiles.sync(self.folder)
        return gone

    def _locked(self) -> int:
        """Open the file and lock it; whoever waited may find that it is full and another one."""
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            flock(handle, LOCK_EX)
            with suppress(FileNotFoundError):
                mine, there = os.fstat(handle), self.path.stat()
                if (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino):
                    return handle
            os.close(handle)

    def _room_for_more(self, handle: int) -> tuple[int, bool]:
        """The locked file, or a new one behind it when it is full; whether it is new."""
        if os.fstat(handle).st_size < self._segment_bytes:
            return handle, False
        first = next((told for _, c in _pieces(self.path, 0) if (told := chain.decoded(c))), {})
        self.path.rename(self.folder / f"effects-{first.get('seq', 1):012}.jsonl")
        flock(handle, LOCK_UN)
        os.close(handle)
        return self._locked(), True

    def _added(self, handle: int, fields: Mapping[str, Any]) -> Line:
        size, after = os.fstat(handle).st_size, self._newest(handle)
        content = chain.encoded(fields, after)
        # Each begins a line of its own, whatever a full disk has cut off before it.
        written = b"\n" + content + b"\n"
        if os.write(handle, written) != len(written):
            with suppress(OSError):
                os.ftruncate(handle, size)
            raise OSError(NO_SPACE, "No space left on device")
        told = chain.decoded(content) or {}
        return chain.line(content, told, number=after.seq + 1, at="")

    def _newest(self, handle: int) -> Mark:
        """The last whole line, read from the end; of the file before when this one is new."""
        content = _last_in(handle)
        if content is not None:
            return _mark(content, chain.decoded(content) or {}, lambda: _count(self.path))
        full = sorted(self.folder.glob(FULL))
        last = _last_of(full[-1]) if full else None
        if last is None:
            return Mark()
        return _mark(last, chain.decoded(last) or {}, lambda: _count(full[-1]))

    def _files(self) -> list[tuple[int, Path]]:
        """All files with lines, each with the number of its first, oldest first."""
        found = []
        for path in [*sorted(self.folder.glob(FULL)), self.path]:
            first = _first(path) if path.exists() else None
            if first is not None:
                found.append((int(first.get("seq", 1)), path))
        return found

    def _stands(self, path: Path, offset: int, since: Mark) -> bool:
        """Whether the marked line stands where it stood."""
        with path.open("rb") as file:
            file.seek(offset)
            content = file.readline().rstrip(b"\n")
        told = chain.decoded(content)
        return told is not None and _mark(content, told, lambda: since.seq) == Mark(
            since.seq, since.digest
        )

    def _lines(self, files: list[tuple[int, Path]], offset: int, number: int) -> Iterator[Line]:
        for first, path in files:
            for begin, content in _pieces(path, offset):
                told = chain.decoded(content)
                if told is None:
                    continue
                each = chain.line(content, told, number=number, at=f"{first}:{begin}")
                number = each.seq + 1
                yield each
            offset = 0


def _count(path: Path) -> int:
    """How many lines a file has: the number of the last one, where it says none itself."""
    return sum(chain.decoded(content) is not None for _, content in _pieces(path, 0))


def _mark(content: bytes, told: Mapping[str, Any], number: Callable[[], int]) -> Mark:
    each = chain.line(content, told, number=0 if "seq" in told else number(), at="")
    return Mark(each.seq, each.digest)


def _pieces(path: Path, offset: int) -> Iterator[tuple[int, bytes]]:
    """What stands between ends of lines, with where it begins; not what is being written now."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        file.seek(offset)
        for content in file:
            if content.endswith(b"\n") and content != b"\n":
                yield offset, content[:-1]
            offset += len(content)


def _first(path: Path) -> dict[str, Any] | None:
    return next((told for _, content in _pieces(path, 0) if (told := chain.decoded(content))), None)


def _last_of(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return _last_in(file.fileno())


def _last_in(handle: int) -> bytes | None:
    """The last whole line of an open file, read from its end in ever longer looks."""
    size, look = os.fstat(handle).st_size, FIRST_LOOK_BYTES
    while size:
        begin = max(size - look, 0)
        pieces = os.pread(handle, size - begin, begin).split(b"\n")
        for content in reversed(pieces[1 if begin else 0 :]):
            if chain.decoded(content) is not None:
                return content
        if not begin:
            return None
        look *= 4
    return None


def _create(path: Path, content: bytes) -> None:
    """Whole under its name or not there; of several who begin one, the first does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        flock(folder, LOCK_EX)
        if not path.exists():
            wholefiles.put(path, content)
    finally:
        os.close(folder)


@contextmanager
def _as_sentence(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JournalError(
            f"the journal {name} cannot be written ({error.strerror}); make room or fix its "
            "permissions, then the run goes on by itself"
        ) from error
