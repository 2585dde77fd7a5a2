"""What the ledger says of a run."""

from uuid import UUID

from reconciliation import states as outcomes
from reconciliation.models import Action, Attempt, Receipt
from tenants.actors import Actor
from tenants.database import rows

WORKER = Actor.machine("worker")

# By one_live_action_per_idempotency_key.
OF_KEY = "WHERE tenant_id = %(tenant)s AND key = %(key)s AND mode = %(mode)s ORDER BY id LIMIT 1"
# By the receipts' index on the action. What settled it comes first: of people's words the newest,
# because an earlier one was taken back; of what a tool told the oldest, which is never unsaid.
HEARD = (
    "WHERE action_id = %(action)s AND source <> 'refusal' "
    "ORDER BY (source = 'person') <> %(by_person)s::boolean, "
    "CASE WHEN source = 'person' THEN -id ELSE id END LIMIT 1"
)


def open_action(run_id: UUID) -> Action | None:
    """The one action of a run that is not absorbed yet: found by its index, never derived."""
    return (
        Action.objects.select_related("run", "tenant")
        .filter(run_id=run_id, absorbed_seq=None)
        .first()
    )


def of_key(tenant_id: int, key: bytes, *, mode: str) -> Action | None:
    """The action that has this idempotency key (in a shadow there may be several: any of them)."""
    found = rows(Action, OF_KEY, {"tenant": tenant_id, "key": key, "mode": mode})
    return found[0] if found else None


def receipt_heard(action: Action) -> Receipt | None:
    """What an action that happened is known by: the standing word, and no refusal."""
    by_person = action.because == outcomes.BY_PERSON
    found = rows(Receipt, HEARD, {"action": action.pk, "by_person": by_person})
    return found[0] if found else None


def in_world(run_id: UUID) -> bool:
    """Whether anything of this run has reached the world, or may have."""
    return Attempt.objects.filter(action__run_id=run_id).exists()


def effects_that_stand(run_id: UUID) -> list[Action]:
    """What this run did to the world, oldest first."""
    happened = Action.objects.filter(run_id=run_id, outcome=outcomes.HAPPENED)
    return list(happened.order_by("proposed_seq"))
