"""The journal outside PostgreSQL: before every effect one synced line.

A restored or failed-over database can be older than the world. What the record then lacks stands
here (rule 13).
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from reconciliation.errors import JournalError
from reconciliation.models import Action, Attempt


def path() -> Path:
    """The journal file of this installation."""
    return Path(settings.KEDGE_JOURNAL_DIR) / "effects.jsonl"


def write(action: Action, attempt: Attempt) -> None:
    """Add the line of one attempt and sync it. Raises `JournalError`; then nothing may be sent."""
    line = {
        "tenant": action.tenant_id,
        "run": str(action.run_id),
        "action": str(action.id),
        "attempt": str(attempt.id),
        "number": attempt.number,
        "key": bytes(action.key).hex(),
        "tool": action.tool,
        "target": action.target,
        "at": time.time(),
    }
    try:
        _append(path(), json.dumps(line, sort_keys=True).encode() + b"\n")
    except OSError as error:
        raise JournalError(
            f"the journal {path()} cannot be written ({error.strerror}); make room or fix its "
            "permissions, then the run goes on by itself"
        ) from error


def lines() -> Iterator[dict[str, Any]]:
    """All whole lines, oldest first. A torn line is one that was never acted on."""
    if not path().exists():
        return
    with path().open("rb") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _append(file: Path, line: bytes) -> None:
    created = not file.exists()
    file.parent.mkdir(parents=True, exist_ok=True)
    # O_APPEND: one write per line, so lines of several workers do not mix. Each begins a line of
    # its own, whatever a full disk has cut off before it.
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        line = b"\n" + line
        if os.write(handle, line) != len(line):
            raise OSError(28, "No space left on device")
        os.fdatasync(handle)  # the line and the file's length; when it was written may be lost
    finally:
        os.close(handle)
    if created:
        directory = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
