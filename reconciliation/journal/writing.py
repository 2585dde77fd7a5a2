"""Before every effect one line, in the journal of this very record."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings

from reconciliation.journal import belonging, chain, sealing
from reconciliation.journal.local import NAME
from reconciliation.journal.port import Mark
from reconciliation.journal.rooms import room
from reconciliation.models import Action, Attempt


def path() -> Path:
    """The file of this installation's journal that is written to, where it is kept in files."""
    return Path(settings.KEDGE_JOURNAL_DIR) / NAME


def write(action: Action, attempt: Attempt) -> None:
    """Add the line of one attempt and sync it. Raises `JournalError`; then nothing may be sent."""
    installation = belonging.refuse_unless_ours()
    room().add(
        {
            "installation": installation,
            "tenant": action.tenant_id,
            "slug": action.tenant.slug,
            "run": str(action.run_id),
            "action": str(action.id),
            "attempt": str(attempt.id),
            "number": attempt.number,
            "key": bytes(action.key).hex(),
            "tool": action.tool,
            "target": action.target,
            "credential": action.acting_credential,
            "parameters": bytes(action.parameters_digest).hex(),
            "hash": attempt.action_hash,
            "sealed": sealing.sealed(action, attempt.id),
            "at": time.time(),
        },
        knows=partial(belonging.is_known, installation=installation),
    )


def lines() -> Iterator[dict[str, Any]]:
    """All whole lines that are kept, oldest first. A torn line is one that was never acted on."""
    walk = chain.Walk(Mark())
    for line in walk.through(room().read(Mark())):
        yield dict(line.fields)
