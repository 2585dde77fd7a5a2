"""What the ledger says of a run."""

from uuid import UUID

from reconciliation import states as outcomes
from reconciliation.models import Action, Attempt
from tenants.actors import Actor

WORKER = Actor.machine("worker")


def open_action(run_id: UUID) -> Action | None:
    """The one action of a run that is not absorbed yet: found by its index, never derived."""
    return (
        Action.objects.select_related("run", "tenant")
        .filter(run_id=run_id, absorbed_seq=None)
        .first()
    )


def in_world(run_id: UUID) -> bool:
    """Whether anything of this run has reached the world, or may have."""
    return Attempt.objects.filter(action__run_id=run_id).exists()


def effects_that_stand(run_id: UUID) -> list[Action]:
    """What this run did to the world, oldest first."""
    happened = Action.objects.filter(run_id=run_id, outcome=outcomes.HAPPENED)
    return list(happened.order_by("proposed_seq"))
