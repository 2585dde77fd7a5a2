"""Append to a run's history. A commit writes none: the checkpoint is the event."""

from uuid import UUID

from canonical.redaction import Fact, Said
from checkpoints.models import Event
from tenants.actors import Actor
from tenants.keys import hiding


def append(run_id: UUID, what: Said, actor: Actor, **detail: Fact) -> None:
    """Add one event in the caller's transaction. `what` is a past participle, `detail` is JSON."""
    told = hiding.facts(detail)
    Event.objects.create(run_id=run_id, what=str(what), actor=actor.name, detail=told)
