"""The journal beside the record: how far it goes, how a backup's copy of it stands to the one here.

It is the witness of what was sent: nothing ever replaces a journal that says more.
"""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Final

from django.conf import settings

from config.errors import BackupError
from reconciliation import journal
from reconciliation.errors import JournalError
from reconciliation.journal import Line, Mark
from reconciliation.journal.chain import LOST, Walk
from reconciliation.journal.local import LocalRoom
from tenants import wholefiles

# Lines that are full files, and those that are written to. Which journal it is (`place`) and for
# whom (`claim`) is never copied: a copy is another journal.
FILES: Final = "effects*.jsonl"
HEADS: Final = "heads.jsonl"
SPOOL: Final = "spool"


class Standing(Enum):
    """How the journal here stands to a backup's: it has none, less, as much or more, or another story."""

    MISSING = "missing"
    LESS = "less"
    WHOLE = "whole"
    APART = "apart"


def position() -> Mark:
    """How far the journal of this installation goes now. Raises JournalError."""
    return _end(journal.room().read(Mark()))


def newer_than(known: Mark) -> list[Line]:
    """The lines after a position, oldest first.

    Raises BackupError when the journal here does not have that position: another one, or lost.
    """
    walk = Walk(Mark(known.seq, known.digest))
    newer = list(walk.through(journal.room().read(Mark())))
    if walk.troubles:
        lost = "lines of it are lost" if LOST in walk.troubles else "its lines are others"
        raise BackupError(
            f"{journal.room().name} does not follow line {known.seq}, as the backup knew it: {lost}."
        )
    return newer


def is_empty() -> bool:
    """Whether there is no line here at all."""
    return next(iter(journal.room().read(Mark())), None) is None


def takes_no_lines() -> str:
    """Why lines of a backup cannot be put into the journal here; empty where they can.

    In the folder they would be read by nobody while the journal is said to be elsewhere.
    """
    here = journal.room()
    if isinstance(here, LocalRoom):
        return ""
    return (
        f"The backup has lines of a journal in a folder, and the journal here is {here.name}, which"
        " lacks them; nothing but a worker writes there. Restore with KEDGE_JOURNAL_URL empty, as it"
        " was when the backup was taken."
    )


def copy(to: Path) -> list[Path]:
    """Copy what the journal's folder has: lines, signed heads, receipts that wait to be brought in."""
    folder = Path(settings.KEDGE_JOURNAL_DIR)
    to.mkdir()
    for path in (*sorted(folder.glob(FILES)), folder / HEADS):
        if path.exists():
            _copy_whole_lines(path, to / path.name)
    (to / SPOOL).mkdir()
    for file in sorted((folder / SPOOL).glob("*.json")):
        # One that was brought in meanwhile is in the record, or will be asked for.
        if file.exists():
            shutil.copy2(file, to / SPOOL / file.name)
    return sorted(path for path in to.rglob("*") if path.is_file())


def compare(backup: Path) -> Standing:
    """How the journal here stands to the copy in a backup. Raises JournalError."""
    theirs = _end(LocalRoom(backup).read(Mark()))
    if theirs.seq == 0:
        return Standing.WHOLE
    here, same = Mark(), False
    for line in journal.room().read(Mark()):
        here = Mark(line.seq, line.digest)
        same = same or here == theirs
    if here.seq == 0:
        return Standing.MISSING
    if here.seq >= theirs.seq:
        return Standing.WHOLE if same else Standing.APART
    return Standing.LESS if _has(LocalRoom(backup).read(Mark()), here) else Standing.APART


def put_back(backup: Path) -> list[str]:
    """Put in place what is missing here of the journal, of signed heads and receipts; says what it did.

    Raises BackupError before anything is written where the two tell different stories, or where the
    lines would have to go into a store.
    """
    folder, standing = Path(settings.KEDGE_JOURNAL_DIR), compare(backup)
    if standing is Standing.APART:
        raise BackupError(
            f"{journal.room().name} and the copy in the backup tell different stories, and neither"
            " may replace the other: both are witnesses. If the one here is another installation's,"
            " move it to a safe place, then restore again."
        )
    said = [f"{journal.room().name} has all that the backup has: kept as it is, it is the witness"]
    if standing is not Standing.WHOLE:
        if refused := takes_no_lines():
            raise BackupError(refused)
        _set_aside(folder)
        said = [f"{folder}: the journal here had less than the backup, and is its copy now"]
        for path in sorted(backup.glob(FILES)):
            _put(path, folder / path.name)
    if (backup / HEADS).exists() and not (folder / HEADS).exists():
        _put(backup / HEADS, folder / HEADS)
        said.append(f"{folder / HEADS}: the signed heads were missing, and are the backup's")
    for file in sorted((backup / SPOOL).glob("*.json")):
        if not (folder / SPOOL / file.name).exists():
            _put(file, folder / SPOOL / file.name)
            said.append(f"{file.name}: a receipt that waits to be brought in, put back")
    return said


def _end(lines: Iterator[Line]) -> Mark:
    end = Mark()
    for line in lines:
        end = Mark(line.seq, line.digest)
    return end


def _has(lines: Iterator[Line], known: Mark) -> bool:
    return any((line.seq, line.digest) == (known.seq, known.digest) for line in lines)


def _copy_whole_lines(source: Path, target: Path) -> None:
    """What is complete at this moment: a worker may be in the middle of the next line."""
    content = source.read_bytes()
    target.write_bytes(content[: content.rfind(b"\n") + 1])


def _set_aside(folder: Path) -> None:
    """Nothing of a witness is thrown away, also not what another has more of."""
    for path in sorted(folder.glob(FILES)):
        path.rename(path.with_name(f"before-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{path.name}"))


def _put(source: Path, target: Path) -> None:
    """Whole under its name or not at all, and on the disk before anything relies on it."""
    try:
        wholefiles.put(target, source.read_bytes())
    except OSError as error:
        raise JournalError(f"{target} cannot be written ({error.strerror})") from error
