"""Verifies a base backup as pg_verifybackup does: every file, nothing more, and its log can be read.

The wheel's own pg_verifybackup ends with a segmentation fault whatever it is asked, `--version` too.
"""

import json
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final

from config.backups import clients
from config.embedded.postgres import MAJOR
from config.errors import BackupError

MANIFEST: Final = "backup_manifest"
# Not in PostgreSQL's manifest, by its documentation: the log is read instead, the rest is settings.
NOT_LISTED: Final = (MANIFEST, "postgresql.auto.conf", "standby.signal", "recovery.signal")
LOG: Final = "pg_wal"


def verify(base: Path) -> None:
    """Raises BackupError naming what is missing, changed, there too much, or cannot be read."""
    manifest = _manifest(base)
    listed = {_path(entry): entry for entry in manifest["Files"]}
    found = {
        str(path.relative_to(base))
        for path in base.rglob("*")
        if path.is_file() and path.relative_to(base).parts[0] != LOG
    }
    for name in sorted(found - set(listed) - set(NOT_LISTED)):
        raise BackupError(f"The backup is damaged: {base / name} does not belong to it.")
    for name, entry in listed.items():
        if name.split("/")[0] != LOG:
            _check(base / name, entry)
    # Only the programs of its own version read a log, and ours are of one.
    if (base / "PG_VERSION").read_text().strip() == MAJOR:
        for span in manifest["WAL-Ranges"]:
            _read_log(base / LOG, span)


def _manifest(base: Path) -> dict[str, Any]:
    """PostgreSQL's manifest, once it is what its own last line says."""
    try:
        content = (base / MANIFEST).read_bytes()
        found: dict[str, Any] = json.loads(content)
        listed, _, _ = content.rpartition(b'"Manifest-Checksum"')
        if sha256(listed).hexdigest() == found["Manifest-Checksum"]:
            return found
    except (OSError, ValueError, KeyError) as error:
        raise BackupError(f"The backup is damaged: {base / MANIFEST}: {error}") from error
    raise BackupError(f"The backup is damaged: {base / MANIFEST} is not what its last line says.")


def _path(entry: dict[str, Any]) -> str:
    if "Encoded-Path" in entry:
        return bytes.fromhex(entry["Encoded-Path"]).decode(errors="surrogateescape")
    return str(entry["Path"])


def _check(path: Path, entry: dict[str, Any]) -> None:
    if not path.is_file():
        raise BackupError(f"The backup is damaged: {path} is missing.")
    if entry.get("Checksum-Algorithm") != "SHA256":
        raise BackupError(
            f"The backup was not made by Kedge: {path} has no SHA-256 in its manifest."
        )
    with path.open("rb") as file:
        same = file_digest(file, "sha256").hexdigest() == entry["Checksum"]
    if not same or path.stat().st_size != entry["Size"]:
        raise BackupError(f"The backup is damaged: {path} is not what its manifest says.")


def _read_log(log: Path, span: dict[str, Any]) -> None:
    """The write-ahead log that makes the copy whole, from its beginning to its end."""
    words = (
        f"--timeline={span['Timeline']}",
        f"--start={span['Start-LSN']}",
        f"--end={span['End-LSN']}",
    )
    try:
        clients.run("pg_waldump", "--quiet", f"--path={log}", *words)
    except BackupError as error:
        raise BackupError(f"The backup is damaged: its log cannot be read. {error}") from error
