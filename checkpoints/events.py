"""Append to a run's history. A commit writes none: the checkpoint is the event."""

from typing import Any
from uuid import UUID

from checkpoints.models import Event
from tenants.actors import Actor


def append(run_id: UUID, what: str, actor: Actor, **detail: Any) -> None:
    """Add one event in the caller's transaction. `what` is a past participle, `detail` is JSON."""
    Event.objects.create(run_id=run_id, what=what, actor=actor.name, detail=detail)
