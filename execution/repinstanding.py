"""How runs stand that are to move to another combo: what stands in the way, read for many at once."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from approvals import states as permission
from checkpoints import states
from reconciliation import states as world
from tenants.database import execute

# Relies on the primary keys, one_unabsorbed_action_per_run and the requests' index on the action.
STANDING: Final = """
SELECT run.id, run.tenant_id, run.business_key, run.task_type, run.combo_id, run.status, run.head,
       run.next_node, run.effect_in_flight IS NOT NULL,
       (convert_from(head.header, 'UTF8')::json ->> 'schema')::int,
       action.id, coalesce(action.stands, ''), coalesce(action.describe, ''),
       EXISTS (SELECT FROM reconciliation_attempt WHERE action_id = action.id),
       request.id, coalesce(request.state, '')
  FROM checkpoints_run AS run
  LEFT JOIN checkpoints_checkpoint AS head ON head.run_id = run.id AND head.seq = run.head
  LEFT JOIN reconciliation_action AS action
         ON action.run_id = run.id AND action.absorbed_seq IS NULL
  LEFT JOIN LATERAL (
       SELECT id, state FROM approvals_approvalrequest
        WHERE action_id = action.id ORDER BY revision DESC LIMIT 1) AS request ON true
 WHERE run.id = ANY(%(runs)s)
 ORDER BY run.id
"""
# A person's no, or their silence: the combo that asked hears it.
DECLINED: Final = (permission.REJECTED, permission.SENT_BACK, permission.EXPIRED)


@dataclass(frozen=True)
class Standing:
    """One run as it stands. `schema` is that of its head, None before the first checkpoint."""

    run_id: UUID
    tenant_id: int
    business_key: str
    task_type: str
    combo_id: int
    status: str
    head: int
    node: str
    effect_in_flight: bool
    schema: int | None
    action_id: UUID | None
    stands: str
    describe: str
    was_sent: bool
    request_id: UUID | None
    request: str

    @property
    def has_ended(self) -> bool:
        return self.status in states.FINAL

    @property
    def is_leased(self) -> bool:
        return self.status == states.RUNNING

    @property
    def is_held(self) -> bool:
        return self.status == states.HELD

    @property
    def is_out(self) -> bool:
        """Whether the combo that proposed an action has still to take in what became of it (rule 12)."""
        if self.effect_in_flight:
            return True
        answered = self.stands == world.SETTLED or self.request in DECLINED
        return self.action_id is not None and (answered or self.was_sent)

    @property
    def proposal(self) -> UUID | None:
        """The action that it has proposed and not sent: a move gives it up."""
        return None if self.is_out else self.action_id

    def reads_as(self, number: int | None) -> bool:
        """Whether code that reads this schema reads the head as it is. A combo may say of none."""
        return self.schema is None or number is None or self.schema == number


def of(run_ids: Collection[UUID]) -> list[Standing]:
    """How these runs stand, by id; one query."""
    return [Standing(*row) for row in execute(STANDING, {"runs": list(run_ids)})]
