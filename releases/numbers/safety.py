"""What never may have happened under a combo: counted from the facts, with examples to look at.

Of all runs of the combo, also those that no arm counts. A constraint that cannot be read is not taken
to hold.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

from django.db import DatabaseError, transaction

from checkpoints.models import Combo
from execution.recoveries.defining import DUPLICATE
from releases.gates import samples
from releases.gates.samples import Constraint
from releases.numbers.audit import Ends
from tenants.database import execute
from tenants.models import Tenant

LOOKED_AT: Final = 20_000
EXAMPLES: Final = 5

# Cases are few; this reads the newest of the tenant.
DUPLICATES: Final = f"""
SELECT newest.run_id::text, count(*) OVER ()
  FROM (
    SELECT run_id, kind, action_id, opened_at, id FROM checkpoints_case
     WHERE tenant_id = %(tenant)s::bigint ORDER BY id DESC LIMIT %(looked_at)s::int
  ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
  LEFT JOIN reconciliation_action AS action ON action.id = newest.action_id
 WHERE {DUPLICATE} AND opened_at >= %(since)s::timestamptz
   AND %(combo)s::bigint IN (run.combo_id, (
       SELECT combo_id FROM checkpoints_checkpoint AS proposed
        WHERE proposed.run_id = action.run_id AND proposed.seq = action.proposed_seq))
 ORDER BY newest.id DESC LIMIT %(examples)s::int
"""  # noqa: S608 - names of ours

# The newest actions of the tenant that the combo proposed: whose runs were moved since are still its.
# Relies on actions_by_tenant_newest and the primary key of checkpoints.
ACTIONS: Final = """
WITH newest AS (
    SELECT id, tenant_id, run_id, mode, proposed_seq, parameters_digest FROM reconciliation_action
     WHERE tenant_id = %(tenant)s::bigint AND proposed_at >= %(since)s::timestamptz
     ORDER BY proposed_at DESC LIMIT %(looked_at)s::int
), action AS (
    SELECT newest.* FROM newest JOIN checkpoints_checkpoint AS proposed
        ON proposed.run_id = newest.run_id AND proposed.seq = newest.proposed_seq
     WHERE proposed.combo_id = %(combo)s::bigint
)
"""

# An attempt that the record lost and the journal has is no doing of the combo's. Relies on the index
# of attempts by action.
UNAPPROVED: Final = f"""
{ACTIONS}
SELECT attempt.id::text, count(*) OVER ()
  FROM action JOIN reconciliation_attempt AS attempt ON attempt.action_id = action.id
  LEFT JOIN approvals_approval AS approval ON approval.request_id = attempt.approval_id
  LEFT JOIN approvals_approvalrequest AS asked ON asked.id = attempt.approval_id
 WHERE NOT attempt.from_journal
   AND (approval.state IS DISTINCT FROM 'used' OR asked.action_id <> attempt.action_id
        OR asked.action_hash <> attempt.action_hash OR action.mode <> 'live')
 ORDER BY attempt.dispatched_at DESC LIMIT %(examples)s::int
"""  # noqa: S608 - names of ours

# As `reconciliation.wire` judges one receipt. Relies on the index of receipts by action.
OTHER_BYTES: Final = f"""
{ACTIONS}
SELECT receipt.attempt_id::text, count(*) OVER ()
  FROM action JOIN reconciliation_receipt AS receipt ON receipt.action_id = action.id
 WHERE receipt.wire_digest NOT IN ('', encode(action.parameters_digest, 'hex'))
 ORDER BY receipt.id DESC LIMIT %(examples)s::int
"""  # noqa: S608 - names of ours

# From the runs' side: an action, a question or a credential of another tenant than its run's.
# Relies on runs_by_tenant_newest, actions_by_run and requests_by_run_newest.
FOREIGN: Final = """
WITH run AS (
    SELECT id, tenant_id FROM (
        SELECT id, tenant_id, combo_id FROM checkpoints_run
         WHERE tenant_id = %(tenant)s::bigint ORDER BY id DESC LIMIT %(looked_at)s::int) AS newest
     WHERE %(combo)s::bigint IN (combo_id, (
        SELECT combo_id FROM checkpoints_checkpoint WHERE run_id = newest.id AND seq = 1))
), touched AS (
    SELECT run.id FROM run JOIN reconciliation_action AS action ON action.run_id = run.id
     WHERE action.tenant_id <> run.tenant_id AND action.proposed_at >= %(since)s::timestamptz
    UNION ALL
    SELECT run.id FROM run JOIN approvals_approvalrequest AS asked ON asked.run_id = run.id
     WHERE asked.tenant_id <> run.tenant_id AND asked.asked_at >= %(since)s::timestamptz
)
SELECT id::text, count(*) OVER () FROM touched ORDER BY id DESC LIMIT %(examples)s::int
"""

Found = tuple[int, tuple[str, ...]]


def constraints(
    tenant: Tenant, combo: Combo, since: datetime, ends: Ends | None = None
) -> tuple[Constraint, ...]:
    """All five, as they are since then: how often broken (None: unread), with ids of the newest.

    Examples are runs, attempts, or positions of the audit chain, whose end is read anew unless `ends`
    has it.
    """
    values = {
        "tenant": tenant.pk,
        "combo": combo.pk,
        "since": since,
        "looked_at": LOOKED_AT,
        "examples": EXAMPLES,
    }
    reading: dict[str, Callable[[], Found]] = {
        samples.DUPLICATE_ARRIVED: partial(_rows, DUPLICATES, values),
        samples.EFFECT_WITHOUT_APPROVAL: partial(_rows, UNAPPROVED, values),
        samples.WIRE_DIGEST_DIFFERS: partial(_rows, OTHER_BYTES, values),
        samples.FOREIGN_TENANT_TOUCHED: partial(_rows, FOREIGN, values),
        samples.AUDIT_CHAIN_BROKEN: partial(_chain, tenant, ends or Ends()),
    }
    return tuple(_constraint(name, reading[name]) for name in samples.CONSTRAINTS)


def _constraint(name: str, read: Callable[[], Found]) -> Constraint:
    try:
        with transaction.atomic():
            return Constraint(name, *read())
    except DatabaseError:
        return Constraint(name, None)


def _rows(statement: str, values: dict[str, object]) -> Found:
    rows = execute(statement, values)
    return (rows[0][1] if rows else 0), tuple(row[0] for row in rows)


def _chain(tenant: Tenant, ends: Ends) -> Found:
    found = ends.problems(tenant)
    return len(found), tuple(str(each.position or each.audit_id) for each in found[:EXAMPLES])
