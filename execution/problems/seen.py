"""What trouble a run has now, by its row, its case and its effect. Nothing is kept here."""

import re
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from checkpoints import fingerprints, states
from execution.problems.models import CASE, FAILURE, RETRY, UNKNOWN, Problem
from reconciliation import states as world
from tenants.database import Rows
from tenants.keys import hiding

# The error of an outcome nobody knows: the same while the tool is asked and once a person is.
NO_ANSWER: Final = "no answer"
LONGEST_CURRENCY: Final = 8
WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
# How a run without a case counts, by why it waits; as unknown only if an outcome is.
WAITS: Final = {
    states.FOR_RETRY: RETRY,
    states.FOR_LOOK_UP: UNKNOWN,
    states.FOR_SETTLING: UNKNOWN,
    states.FOR_DOOR: UNKNOWN,
}

# Of live runs: nobody is asked about a shadow. The case that is not decided first, then the newest one. Of actions the one its case is about,
# else the one it is at; of a failed run the last one.
LOOK: Final = """
SELECT run.id AS run_id, run.tenant_id, run.task_type, run.next_node, run.combo_id, run.status,
       run.reason, run.stop_reason, run.sentence, run.head,
       coalesce(run.finished_at, clock_timestamp()) AS at,
       own.id AS case_id, own.kind, own.fingerprint, own.facts ->> 'error' AS error,
       own.facts ->> 'tool' AS said_tool, own.opened_at, own.decided_at, own.sentence,
       action.id AS action_id, action.tool, action.outcome, action.magnitude ->> 'currency',
       action.magnitude ->> 'amount', action.magnitude ->> 'recipients'
  FROM checkpoints_run AS run
  LEFT JOIN LATERAL (
       SELECT * FROM checkpoints_case WHERE run_id = run.id AND closed_at IS NULL
        ORDER BY decided_at IS NOT NULL, id DESC LIMIT 1) AS own ON true
  LEFT JOIN LATERAL (
       SELECT id, tool, outcome, magnitude FROM reconciliation_action
        WHERE run_id = run.id AND CASE
              WHEN own.action_id IS NOT NULL THEN id = own.action_id
              WHEN run.finished_at IS NULL THEN absorbed_seq IS NULL
              ELSE true END
        ORDER BY proposed_seq DESC LIMIT 1) AS action ON true
 WHERE run.id = ANY(%(runs)s) AND run.mode = 'live'
"""
# The columns of LOOK, in its order.
Row: Final = namedtuple(
    "Row",
    "run_id tenant_id task_type next_node combo_id status reason stop_reason sentence head at"
    " case_id kind fingerprint error said_tool opened_at decided_at case_sentence"
    " action_id tool outcome currency amount recipients",
)


@dataclass(frozen=True)
class Seen:
    """One run and the trouble it has; `what` is "" when it has none."""

    run_id: UUID
    tenant_id: int
    combo_id: int
    task_type: str
    node: str
    head: int
    is_live: bool
    since: datetime
    what: str = ""
    kind: str = ""
    tool: str = ""
    error: str = ""
    fingerprint: str = ""
    case_id: UUID | None = None
    action_id: UUID | None = None
    decided_at: datetime | None = None
    currency: str = ""
    amount: int = 0
    recipients: int = 0
    sentence: str = ""

    def problem(self) -> Problem:
        """The problem that it counts to, as a row that is not kept yet."""
        return Problem(
            tenant_id=self.tenant_id,
            fingerprint=self.fingerprint,
            kind=self.kind,
            task_type=self.task_type,
            node=self.node,
            tool=self.tool,
            error=hiding.said(hiding.text(fingerprints.normalised(self.error))),
            first_seen_at=self.since,
        )

    def counted(self) -> dict[str, Any]:
        """What the row of a counted run keeps of it."""
        return {name: getattr(self, name) for name in KEPT}


KEPT: Final = tuple(
    each.name
    for each in fields(Seen)
    if each.name
    not in {
        "tenant_id",
        "task_type",
        "node",
        "is_live",
        "kind",
        "tool",
        "error",
        "fingerprint",
        "sentence",
    }
)


def seen(rows: Rows) -> list[Seen]:
    """What each run of the rows of `LOOK` has now."""
    return [_of(Row(*row)._asdict()) for row in rows]


def _of(row: Mapping[str, Any]) -> Seen:
    trouble = _trouble(row)
    common = {
        "run_id": row["run_id"],
        "tenant_id": row["tenant_id"],
        "combo_id": row["combo_id"],
        "task_type": row["task_type"],
        "node": row["next_node"],
        "head": row["head"],
        "is_live": row["status"] not in states.FINAL,
        "since": row["opened_at"] or row["at"],
        "sentence": row["case_sentence"] or row["sentence"],
    }
    return Seen(**{**common, **trouble, **(_effect(row) if trouble else {})})


def _trouble(row: Mapping[str, Any]) -> dict[str, Any]:
    if row["case_id"] is not None:
        told = {name: row[name] for name in ("kind", "case_id", "decided_at", "fingerprint")}
        return {
            "what": CASE,
            **told,
            "tool": row["said_tool"] or "",
            "error": row["error"] or "",
        }
    if row["status"] == states.FAILED:
        return _named(row, FAILURE, row["stop_reason"], row["sentence"])
    what = WAITS.get(row["reason"]) if row["status"] == states.WAITING else None
    if what == RETRY:
        return _named(row, RETRY, states.FOR_RETRY, row["sentence"])
    if what == UNKNOWN and row["outcome"] == world.UNKNOWN:
        return _named(row, UNKNOWN, states.OUTCOME_UNKNOWN, NO_ANSWER)
    return {}


def _named(row: Mapping[str, Any], what: str, kind: str, error: str) -> dict[str, Any]:
    tool = row["tool"] or ""
    fingerprint = fingerprints.of(
        kind, task_type=row["task_type"], node=row["next_node"], tool=tool, error=error
    )
    return {"what": what, "kind": kind, "tool": tool, "error": error, "fingerprint": fingerprint}


def _effect(row: Mapping[str, Any]) -> dict[str, Any]:
    if row["action_id"] is None:
        return {}
    return {
        "action_id": row["action_id"],
        "currency": (row["currency"] or "")[:LONGEST_CURRENCY],
        "amount": _whole(row["amount"]),
        "recipients": _whole(row["recipients"]),
    }


def _whole(said: str | None) -> int:
    """What a magnitude says as a whole number; nothing, if it says something else."""
    return int(said) if said and WHOLE.fullmatch(said) else 0
