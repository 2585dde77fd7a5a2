"""What would be lost if a backup took the place of what is here, before anything is done."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Any

import psycopg
from django.conf import settings

from config.backups import clusters, facts, witness
from config.backups.clusters import Urls
from config.backups.facts import Facts
from config.backups.manifest import Manifest
from config.backups.taking import JOURNAL
from config.errors import BackupError, GroundError
from config.readiness import Say
from reconciliation.journal import Line
from tenants.keys import ring


@dataclass(frozen=True)
class Here:
    """What a restore would replace. `record` None: nothing, or `trouble` says why it cannot be read.

    `newer` are the journal's lines after the backup was begun, `sessions` who uses the database.
    """

    record: Facts | None
    trouble: str = ""
    newer: list[Line] = field(default_factory=list)
    journal_trouble: str = ""
    sessions: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that could be lost."""
        return self.record is None and not self.trouble


def look(made: Manifest, say: Say) -> Here:
    """See what is here. A stopped embedded server runs meanwhile, and stands as it was afterwards."""
    newer, trouble = _newer_lines(made)
    journal = Here(None, newer=newer, journal_trouble=trouble)
    if clusters.is_embedded() and not (settings.PLACES.data / "PG_VERSION").exists():
        return journal
    try:
        with _running(say) as urls:
            if facts.is_empty(urls.owner):
                return journal
            return replace(journal, record=facts.of(urls.owner), sessions=sessions(urls.owner))
    except (psycopg.Error, GroundError) as error:
        return replace(journal, trouble=" ".join(str(error).split()))


def _running(say: Say) -> AbstractContextManager[Urls]:
    if clusters.is_embedded():
        return clusters.running(settings.PLACES, say)
    return nullcontext(clusters.named())


def sessions(url: str) -> list[str]:
    """Who else uses the database: "application (user)", one for each session."""
    ask = """
        SELECT coalesce(nullif(application_name, ''), 'a program') || ' (' || usename || ')'
          FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND backend_type = 'client backend' ORDER BY 1
    """
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute(ask).fetchall()]


def told(made: Manifest, here: Here) -> Iterator[str]:
    """The preview, line by line."""
    counts = made.record["counts"]
    yield (
        f"The backup: {made.kind}, of {made.at}, by Kedge {made.kedge}, with {_counted(counts)};"
        f" the journal then had {made.journal.seq} lines."
    )
    yield from _keys(made)
    if here.is_empty:
        yield "Here: no record. Nothing can be lost."
    elif here.record is None:
        yield f"Here: a record that cannot be read ({here.trouble}). What it has more is not known."
    else:
        yield from _lost(made, here.record)
    yield from _journal(here)


def _lost(made: Manifest, record: Facts) -> Iterator[str]:
    if record.installation != made.record["installation"]:
        yield f"Here: the record of ANOTHER installation ({record.installation}): {_counted(record.counts)}."
    else:
        yield f"Here: {_counted(record.counts)}."
    more = {
        kind: max(0, count - made.record["counts"].get(kind, 0))
        for kind, count in record.counts.items()
    }
    yield f"Lost, if it is replaced: at least {_counted(more)}."
    for what, last in (("run", record.last_run), ("action", record.last_action)):
        if last is not None:
            yield f"  the last {what}: {last[0]} ({last[1]}), {last[2]:%Y-%m-%d %H:%M:%S} UTC"


def _journal(here: Here) -> Iterator[str]:
    if here.journal_trouble:
        yield f"The journal: {here.journal_trouble}"
        return
    yield f"Journal lines newer than the backup: {len(here.newer)}."
    for line in here.newer[-1:]:
        told = line.fields
        yield f"  the last: {told['tool']} {told['target']}, action {told['action']}"
    if here.newer:
        yield "  They stay, and each effect that the backup lacks is found out or put before a person."


def _keys(made: Manifest) -> Iterator[str]:
    known = ring.parsed(settings.KEDGE_KEYS).keys
    for key in made.record["keys_needed"]:
        if key not in known:
            yield f"KEDGE_KEYS has no key {key!r}: what is encrypted under it cannot be read."


def _newer_lines(made: Manifest) -> tuple[list[Line], str]:
    if made.journal.seq and witness.is_empty():
        return [], _without_journal(made)
    try:
        return witness.newer_than(made.journal), ""
    except BackupError as error:
        return [], str(error)


def _without_journal(made: Manifest) -> str:
    if not any(fnmatch(name, f"{JOURNAL}/{witness.FILES}") for name in made.files):
        return (
            f"there is none here, and the backup knew line {made.journal.seq} of one in a store. Name"
            " it in KEDGE_JOURNAL_URL: what was sent after the backup is known to it alone."
        )
    return witness.takes_no_lines() or (
        "there is none here. That of the backup is put in its place; what was sent after the"
        " backup is then known to nobody but the outside world."
    )


def _counted(counts: Any) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())
