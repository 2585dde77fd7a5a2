"""What must be nowhere, counted from rows and from the outside world: effects that nobody allowed,
and states that nobody can explain. None of the engine's own counters or verbs is asked.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import connection

# An intent is allowed by the approval of exactly its action and hash, used by the first attempt
# of that action, in time; given by a rule that passes it, or by as many people as were demanded,
# none of whom started the run, said no as well, or took it back.
UNAPPROVED: Final = """
SELECT format('%%s: attempt %%s of %%s was sent without an approval that allows it',
              action.run_id, attempt.number, action.tool)
  FROM reconciliation_attempt AS attempt
  JOIN reconciliation_action AS action ON action.id = attempt.action_id
  JOIN checkpoints_run AS run ON run.id = action.run_id
  LEFT JOIN approvals_approvalrequest AS request ON request.id = attempt.approval_id
  LEFT JOIN approvals_approval AS approval ON approval.request_id = request.id
 WHERE (%(all)s OR action.run_id = ANY(%(runs)s::uuid[]))
   AND NOT coalesce(
         approval.state = 'used' AND request.state = 'used'
     AND request.action_id = attempt.action_id AND request.action_hash = attempt.action_hash
     AND attempt.dispatched_at BETWEEN approval.granted_at AND request.expires_at
     AND EXISTS (SELECT 1 FROM reconciliation_attempt AS first
                  WHERE first.id = approval.used_by_attempt AND first.action_id = action.id
                    AND first.number <= attempt.number)
     AND (approval.rule <> '' OR (
           (SELECT count(DISTINCT yes.user_id) FROM approvals_decision AS yes
             WHERE yes.request_id = request.id AND yes.verdict = 'approve'
               AND yes.posted_hash = request.action_hash AND yes.at <= approval.granted_at
               AND yes.user_id IS DISTINCT FROM run.started_by_id
               AND NOT EXISTS (SELECT 1 FROM approvals_takenback AS back
                                WHERE back.decision_id = yes.id))
             >= greatest((request.requirement ->> 'approvers')::int, 1)
           AND NOT EXISTS (SELECT 1 FROM approvals_decision AS no
                            WHERE no.request_id = request.id AND no.verdict <> 'approve')))
     , false)
"""
# Which keys were ever sent: an effect under any other was sent by nobody who was allowed to.
SENT: Final = """
SELECT encode(action.key, 'hex') FROM reconciliation_action AS action
 WHERE EXISTS (SELECT 1 FROM reconciliation_attempt WHERE action_id = action.id)
"""
# Why a run that has not ended may be where it is; all else is unexplained.
UNEXPLAINED_RUNS: Final = """
SELECT format('%%s is %%s (%%s) and nothing explains it', run.id, run.status, run.reason)
  FROM checkpoints_run AS run
 WHERE (%(all)s OR run.id = ANY(%(runs)s::uuid[]))
   AND NOT CASE run.status
     WHEN 'queued' THEN run.due_at IS NOT NULL
     WHEN 'running' THEN run.holder IS NOT NULL AND run.lease_until > clock_timestamp()
     WHEN 'waiting' THEN CASE run.reason
       WHEN 'for_approval' THEN EXISTS (
         SELECT 1 FROM approvals_approvalrequest AS request
          WHERE request.run_id = run.id AND request.state IN ('open', 'approved'))
       WHEN 'for_stop' THEN EXISTS (SELECT 1 FROM checkpoints_stop WHERE lifted_at IS NULL)
       WHEN 'for_door' THEN EXISTS (
         SELECT 1 FROM reconciliation_door WHERE tenant_id = run.tenant_id AND closed_at IS NOT NULL)
       WHEN 'for_same_key' THEN EXISTS (
         SELECT 1 FROM reconciliation_action AS other JOIN checkpoints_run AS theirs
             ON theirs.id = other.run_id
          WHERE theirs.effect_scope = run.effect_scope AND theirs.id <> run.id
            AND other.stands <> 'settled')
       ELSE run.due_at IS NOT NULL END
     WHEN 'held' THEN 1 = (
       SELECT count(*) FROM checkpoints_case
        WHERE run_id = run.id AND decided_at IS NULL AND closed_at IS NULL)
     ELSE run.stop_reason <> '' AND run.finished_at IS NOT NULL AND run.holder IS NULL
          AND run.effect_in_flight IS NULL
          AND NOT EXISTS (SELECT 1 FROM checkpoints_recovery WHERE run_id = run.id AND ended = '')
     END
"""
# An effect is reconciled, or somebody is at it: a worker, the clock, or a person with a case.
UNEXPLAINED_EFFECTS: Final = """
SELECT format('%%s: %%s is %%s (%%s) and nobody is at it',
              action.run_id, action.tool, action.stands, action.outcome)
  FROM reconciliation_action AS action
  JOIN checkpoints_run AS run ON run.id = action.run_id
 WHERE (%(all)s OR action.run_id = ANY(%(runs)s::uuid[]))
   AND CASE action.stands
     WHEN 'settled' THEN EXISTS (
       SELECT 1 FROM reconciliation_attempt WHERE action_id = action.id AND outcome = '')
     WHEN 'dispatched' THEN run.status IN ('succeeded', 'failed', 'cancelled')
       OR (run.status = 'held' AND NOT EXISTS (
             SELECT 1 FROM checkpoints_case
              WHERE run_id = run.id AND action_id = action.id AND closed_at IS NULL))
     ELSE run.status IN ('succeeded', 'failed', 'cancelled') END
"""
SETTLED: Final = """
SELECT encode(key, 'hex'), tool, outcome FROM reconciliation_action
 WHERE stands = 'settled' AND (%(all)s OR run_id = ANY(%(runs)s::uuid[]))
"""

Runs = Sequence[UUID] | None


def unapproved(runs: Runs = None) -> list[str]:
    """A sentence for each intent of these runs (None: of all) that no approval allowed."""
    return _sentences(UNAPPROVED, runs)


def unapproved_arrivals(arrived: Mapping[str, int]) -> list[str]:
    """A sentence for each thing in the outside world that no intent in this database sent."""
    sent = {key for (key,) in _rows(SENT, {})}
    return [f"{count} effects with the key {key or '(none)'} that nobody sent"
            for key, count in sorted(arrived.items()) if key not in sent]  # fmt: skip


def unexplained(runs: Runs = None) -> list[str]:
    """A sentence for each run and effect that is neither done, nor on its way, nor a person's."""
    return [*_sentences(UNEXPLAINED_RUNS, runs), *unexplained_effects(runs)]


def unexplained_effects(runs: Runs = None) -> list[str]:
    """The same of effects alone: also true while runs are on their way."""
    return _sentences(UNEXPLAINED_EFFECTS, runs)


def contradicted(arrived: Mapping[str, int], runs: Runs = None) -> list[str]:
    """A sentence for each settled effect of which the outside world says otherwise."""
    found = []
    for key, tool, outcome in _rows(SETTLED, _of(runs)):
        there = arrived.get(key, 0)
        if outcome != "written_off" and bool(there) != (outcome == "happened"):
            found.append(f"the ledger says {outcome} of {tool}, and {there} are there ({key[:12]})")
    return found


def duplicates(arrived: Mapping[str, int]) -> int:
    """How many effects are there beyond the first of each ledger key."""
    return sum(count - 1 for key, count in arrived.items() if key)


def _sentences(statement: str, runs: Runs) -> list[str]:
    return [str(row[0]) for row in _rows(statement, _of(runs))]


def _of(runs: Runs) -> dict[str, Any]:
    return {"all": runs is None, "runs": [str(run) for run in runs or ()]}


def _rows(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
