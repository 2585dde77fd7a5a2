"""Keeps a receipt when PostgreSQL cannot: a synced file, brought in as soon as it can.

Losing the lease or the database forbids new effects, not storing what is known (rule 16).
"""

import base64
import json
import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import Error as DatabaseFault

from reconciliation import ledger
from reconciliation.ledger import Answer
from reconciliation.models import Action, Attempt
from tenants import wholefiles
from tenants.keys import hiding

log = logging.getLogger(__name__)

UNREADABLE = (ValueError, KeyError, TypeError, ValidationError, Attempt.DoesNotExist)


def record_or_spool(attempt: Attempt, answer: Answer, *, fence: int) -> Action:
    """Record an answer; when the database does not take it, spool it and raise what it raised.

    Whatever the database says: one that became a read-only standby is no operational error.
    """
    try:
        return ledger.record_answer(attempt, answer, fence=fence)
    except DatabaseFault:
        put(attempt.id, answer, fence=fence)
        raise


def put(attempt_id: UUID, answer: Answer, *, fence: int) -> Path:
    """Write one answer to a file of its own, synced, complete under its name or not there."""
    content = asdict(answer) | {
        "note": hiding.said(answer.note),
        "content": base64.b64encode(answer.content).decode(),
        "attempt": str(attempt_id),
        "fence": fence,
    }
    path = directory() / f"{attempt_id}.json"
    wholefiles.put(path, json.dumps(content).encode())
    return path


def bring_in(folder: Path | None = None) -> int:
    """Record every spooled answer of a folder (this machine's) and remove its file; returns how many.

    Idempotent; of several who do it at once, each may find a file gone. A file of another
    installation is left where it is, as one that cannot be read is.
    """
    brought = 0
    for path in sorted((folder or directory()).glob("*.json")):
        try:
            content: dict[str, Any] = json.loads(path.read_bytes())
            attempt = Attempt.objects.select_related("action").get(id=content.pop("attempt"))
            fence = content.pop("fence")
            note = hiding.text(content.pop("note"))
            content["content"] = base64.b64decode(content["content"])
            answer = Answer(note=note, **content)
            known = attempt.receipts.filter(source=answer.source, content=answer.content)
            if not known.exists():
                ledger.record_answer(attempt, answer, fence=fence)
            brought += 1
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:  # it cannot be read, or stays: next time it is known already
            log.warning("spooled receipt %s stays where it is: %s", path.name, error)
        except UNREADABLE as error:
            log.warning("spooled receipt %s cannot be read: %s", path.name, error)
    return brought


def is_waiting() -> bool:
    """Whether any answer waits in the spool; cheap enough for every reconciliation."""
    return any(directory().glob("*.json"))


def directory() -> Path:
    """The folder of this machine's spool; it need not be there."""
    return Path(settings.KEDGE_JOURNAL_DIR) / "spool"
