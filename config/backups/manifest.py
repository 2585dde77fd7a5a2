"""A backup's manifest: canonical JSON that says what the backup is and has. Never a secret.

It is written last: a folder without one is no backup.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from canonical import json as canonical
from canonical.errors import CanonicalError
from canonical.json import Json
from config.errors import BackupError
from reconciliation.journal import Mark

NAME: Final = "manifest.json"
FORMAT: Final = "kedge-backup-1"
BASE, DUMP = "base", "dump"
# What a base backup verifies of itself, by a manifest of PostgreSQL's own.
BASE_MANIFEST: Final = "base/backup_manifest"
DUMP_FILE: Final = "kedge.dump"


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself. `journal` is how far the journal went before it was begun.

    `record` is `facts.Facts.as_json`; `files` are {path: {bytes, sha256}}.
    """

    kind: str
    kedge: str
    at: str
    record: Mapping[str, Any]
    journal: Mark
    signing_key: str
    files: Mapping[str, Mapping[str, Any]]


def write(folder: Path, made: Manifest) -> None:
    """Write it into the folder; the caller syncs and names the folder."""
    content: dict[str, Json] = {
        "format": FORMAT,
        "kind": made.kind,
        "kedge": made.kedge,
        "at": made.at,
        "record": dict(made.record),
        "journal": {"line": made.journal.seq, "digest": made.journal.digest},
        "signing_key": made.signing_key,
        "files": {name: dict(facts) for name, facts in made.files.items()},
    }
    (folder / NAME).write_bytes(canonical.dumps(content))


def read(folder: Path) -> Manifest:
    """The manifest of a backup. Raises BackupError: none, damaged, or of another format."""
    try:
        content = canonical.loads_object((folder / NAME).read_bytes())
    except FileNotFoundError:
        raise BackupError(
            f"{folder} is no backup: it has no {NAME}, which is written last. An interrupted backup"
            " is worth nothing; take another one."
        ) from None
    except (OSError, CanonicalError) as error:
        raise BackupError(f"{folder / NAME} cannot be read: {error}") from error
    if content.get("format") != FORMAT:
        raise BackupError(
            f"{folder / NAME} is of the format {content.get('format')!r}, and this Kedge reads"
            f" {FORMAT}. Restore with the version of Kedge that made it."
        )
    try:
        journal = Mark(content["journal"]["line"], content["journal"]["digest"])
        rest = {name: content[name] for name in ("kind", "kedge", "at", "record", "signing_key")}
        return Manifest(**rest, journal=journal, files=content["files"])
    except (KeyError, TypeError) as error:
        raise BackupError(f"{folder / NAME} lacks {error}: it is damaged") from error


def digests_of(folder: Path, files: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Size and SHA-256 of files, under their paths in the backup."""
    return {
        str(path.relative_to(folder)): {"bytes": path.stat().st_size, "sha256": _sha256(path)}
        for path in files
    }


def check_files(folder: Path, made: Manifest) -> None:
    """Raises BackupError naming the first file that is not what the manifest says."""
    for name, facts in made.files.items():
        path = folder / name
        if not path.is_file():
            raise BackupError(f"The backup is damaged: {path} is missing.")
        if path.stat().st_size != facts["bytes"] or _sha256(path) != facts["sha256"]:
            raise BackupError(f"The backup is damaged: {path} is not what its manifest says.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
