"""An action's beginning and end in the record: proposed with one checkpoint, absorbed with another."""

from functools import cache

from django.db import IntegrityError, transaction
from psycopg.types.json import Jsonb

from canonical import digests
from checkpoints import commits, events
from checkpoints.boundaries import boundary
from checkpoints.commits import Committed, Lease, Rider
from checkpoints.errors import LeaseLostError
from checkpoints.headers import ActionMark, Ancestry, Step
from checkpoints.models import Run
from reconciliation.ledger.reads import WORKER
from reconciliation.models import Action
from tenants.models import Installation

# Refused by one_live_action_per_idempotency_key and one_unabsorbed_action_per_run.
PROPOSE = """
INSERT INTO reconciliation_action
    (id, tenant_id, run_id, mode, node, ordinal, generation, key, tool, tool_schema_digest,
     acting_credential, describe, target, magnitude, parameters, parameters_digest,
     compensates_id, stands, outcome, because, note, proposed_seq)
SELECT %(a_id)s, %(a_tenant)s, head.id, %(a_mode)s, %(a_node)s, %(a_ordinal)s, %(a_generation)s,
       %(a_key)s, %(a_tool)s, %(a_schema)s, %(a_credential)s, %(a_describe)s, %(a_target)s,
       %(a_magnitude)s, %(a_parameters)s, %(a_parameters_digest)s, %(a_compensates)s,
       'proposed', '', '', '', %(seq)s
  FROM head
RETURNING id
"""

# By primary key; a settled action is absorbed once.
ABSORB = """
UPDATE reconciliation_action SET absorbed_seq = %(seq)s
  FROM head
 WHERE reconciliation_action.id = %(a_id)s AND run_id = head.id
   AND stands = 'settled' AND absorbed_seq IS NULL
RETURNING reconciliation_action.id
"""


def ledger_key(run: Run, *, node: str, ordinal: int, generation: int = 1) -> str:
    """The idempotency key (hex) of an effect: the same for every attempt, fork and re-proposal."""
    parts = [_installation_id(), run.tenant_id, str(run.effect_scope)]
    return digests.tagged("ledger-key", [*parts, node, ordinal, generation])


def mark(action: Action, outcome: str, receipt_digest: str = "") -> ActionMark:
    """What a checkpoint's header says of an action."""
    return ActionMark(
        str(action.id), bytes(action.parameters_digest).hex(), outcome, receipt_digest
    )


def propose(lease: Lease, before: Ancestry, step: Step, action: Action) -> Committed:
    """Freeze an effect and commit that it was proposed: checkpoint and action in one statement.

    The step must carry the action's mark. Raises `LeaseLostError`, and `IntegrityError` when the
    run has an open action already or the key is taken.
    """
    boundary("propose:before")
    committed = commits.commit(
        lease, before, step, rider=Rider(PROPOSE, _values(action), "the action was not written")
    )
    action.proposed_seq = committed.seq
    boundary("propose:after")
    return committed


def repropose(lease: Lease, before: Ancestry, step: Step, action: Action) -> Committed:
    """A run that went back proposes the same effect again: the same action stands for it."""
    with transaction.atomic():
        committed = commits.commit(lease, before, step)
        Action.objects.filter(pk=action.pk).update(absorbed_seq=None, proposed_seq=committed.seq)
        events.append(lease.run_id, "proposed again", WORKER, action=action.id)
    return committed


def absorb(lease: Lease, before: Ancestry, step: Step, action: Action) -> Committed:
    """Commit what the node made of a settled action: checkpoint and action in one statement."""
    boundary("absorb:before")
    rider = Rider(ABSORB, {"a_id": action.id}, "the action is not there to be absorbed")
    try:
        committed = commits.commit(lease, before, step, rider=rider)
    except IntegrityError as error:
        raise LeaseLostError(f"action {action.id} was absorbed by another worker") from error
    boundary("absorb:after")
    return committed


@cache
def _installation_id() -> str:
    """Never changes while this process lives: a restored clone starts new processes."""
    installation, _ = Installation.objects.get_or_create(only=True)
    return str(installation.installation_id)


def _values(action: Action) -> dict[str, object]:
    return {
        "a_id": action.id,
        "a_tenant": action.tenant_id,
        "a_mode": action.mode,
        "a_node": action.node,
        "a_ordinal": action.ordinal,
        "a_generation": action.generation,
        "a_key": action.key,
        "a_tool": action.tool,
        "a_schema": action.tool_schema_digest,
        "a_credential": action.acting_credential,
        "a_describe": action.describe,
        "a_target": action.target,
        "a_magnitude": Jsonb(action.magnitude),
        "a_parameters": action.parameters,
        "a_parameters_digest": action.parameters_digest,
        "a_compensates": action.compensates_id,
    }
