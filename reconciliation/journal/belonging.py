"""Whether this journal is the record's own, judged once per connection to PostgreSQL.

A process may have been given another database or another folder, and a connection may lead to
another server than the one before it. What cannot be compared is not ours: nothing is sent.
"""

from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from reconciliation.errors import JournalError
from reconciliation.journal.port import Claim, Line, Mark, Room
from reconciliation.journal.rooms import room
from tenants.database import execute
from tenants.models import Installation

# One row, asked once per connection. A journal that was never named is named by whoever is first.
LOOK: Final = """
SELECT its.installation_id::text, its.system_identifier, its.timeline, live.system, live.timeline,
       pg_postmaster_start_time(), coalesce(mark.place, ''), coalesce(mark.seq, 0),
       coalesce(mark.digest, '')
  FROM kedge_identity() AS live
  JOIN tenants_installation AS its ON true
  LEFT JOIN reconciliation_journalmark AS mark ON true
"""
ADOPT: Final = """
INSERT INTO reconciliation_journalmark ("only", place, seq, digest, at, receipt)
SELECT true, %(place)s, 0, '', '', coalesce(max(id), 0) FROM reconciliation_receipt
    ON CONFLICT ("only") DO UPDATE SET place = excluded.place
 WHERE reconciliation_journalmark.place = ''
"""

KNOWN: Final = """
SELECT EXISTS (SELECT 1 FROM reconciliation_attempt WHERE id = %(attempt)s::uuid)
    OR EXISTS (SELECT 1 FROM reconciliation_missingline WHERE attempt_id = %(attempt)s::uuid)
"""

OTHER_SYSTEM: Final = "other_system"
OTHER_TIMELINE: Final = "other_timeline"
JOURNAL_LOST: Final = "journal_lost"
JOURNAL_OTHER: Final = "journal_other"


@dataclass(frozen=True)
class Seen:
    """What this connection leads to, beside what the record says of itself."""

    installation: str
    stored: tuple[str, int]
    live: tuple[str, int]
    started: str
    place: str
    mark: Mark

    @property
    def of(self) -> str:
        """This very server, from its start to its stop."""
        return f"{self.installation} on {self.live[0]}, timeline {self.live[1]}, of {self.started}"

    def moved(self) -> list[str]:
        """In which ways the record is not where it was written."""
        if self.stored[0] != self.live[0]:
            return [OTHER_SYSTEM]
        return [OTHER_TIMELINE] if self.stored[1] != self.live[1] else []


@dataclass
class _Held:
    """What this process was found to belong to."""

    by: Any = None
    room: Room | None = None
    installation: str = ""
    claim: Claim | None = None


_held = _Held()


def look() -> Seen:
    """What this connection leads to, in one row; an installation that is not named yet is named."""
    seen = known()
    if seen is None:
        Installation.objects.get_or_create(only=True)
        seen = known()
    assert seen is not None  # noqa: S101 - it was named
    return seen


def known() -> Seen | None:
    """The same, and nothing is written; None where nothing was ever written."""
    found = execute(LOOK, {})
    if not found:
        return None
    installation, system, timeline, live_system, live_timeline, started, place, *mark = found[0]
    live = (live_system, live_timeline)
    return Seen(installation, (system, timeline), live, started.isoformat(), place, Mark(*mark))


def refuse_unless_ours() -> str:
    """The installation's id, when server, record and journal belong together.

    Asks PostgreSQL only where the connection is another than the one before. Raises `JournalError`.
    """
    kept = room()
    if _held.by is not connection.connection or _held.room is not kept or _held.by is None:
        let_go()
        seen = look()
        _refuse_if_moved(seen, kept)
        kept.know(seen.mark)
        _refuse_if_older(seen, kept)
        _held.claim = kept.claim(seen.of)
        _held.by, _held.room = connection.connection, kept
        _held.installation = seen.installation
    return _held.installation


def is_known(line: Line, installation: str) -> bool:
    """Whether the record has the attempt of this line; those of other installations are not its own."""
    if line.fields.get("installation", "") != installation:
        return True
    known: bool = execute(KNOWN, {"attempt": line.fields["attempt"]})[0][0]
    return known


def let_go() -> None:
    """Forget what was found, and let go of the journal's claim."""
    if _held.claim is not None:
        _held.claim.release()
    _held.by = _held.room = _held.claim = None


def place_of(seen: Seen, kept: Room) -> str:
    """Which journal is there; one that was never named is named now. Raises `JournalError`."""
    if seen.place:
        return kept.place(make=False)
    place = kept.place(make=True)
    execute(ADOPT, {"place": place})
    return look().place


def apart(seen: Seen, place: str) -> list[str]:
    """In which ways server, record and journal do not belong together."""
    codes = seen.moved()
    if seen.place and place != seen.place:
        codes.append(JOURNAL_OTHER if place else JOURNAL_LOST)
    return codes


def _refuse_if_older(seen: Seen, kept: Room) -> None:
    """The disk under a living process may have gone back: the newest line tells at once.

    Whoever wrote it had committed its attempt before. What is older than that is found by comparing.
    """
    newest = kept.newest()
    if newest is not None and not is_known(newest, seen.installation):
        raise JournalError(
            f"the record does not know the newest line of the journal {kept.name}: it is older than"
            " the world; see the page Record"
        )


def _refuse_if_moved(seen: Seen, kept: Room) -> None:
    codes = apart(seen, place_of(seen, kept))
    if codes:
        raise JournalError(
            f"the record, its PostgreSQL and the journal {kept.name} do not belong together "
            f"({', '.join(codes)}); see the page Record"
        )
