"""What PostgreSQL says of a run: where it stands in between, and everything about its end."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from django.db import connections
from django.db.models import Q

from canonical import json as canonical
from canonical import redaction
from checkpoints import blobs, reading
from checkpoints.models import Case, Checkpoint, Recovery, Run, Verdict
from checkpoints.states import FINAL
from execution.plans import states as planning
from execution.plans.models import Plan
from reconciliation.models import Action
from reconciliation.states import DISPATCHED
from tests.acceptance import counting
from tests.crash import undone

STANDS = """
SELECT status, reason, due_at <= clock_timestamp(),
       extract(epoch FROM due_at - clock_timestamp())::float8,
       EXISTS (SELECT 1 FROM approvals_approvalrequest AS request
                WHERE request.run_id = run.id AND request.state = 'open'),
       forked_from_id IS NOT NULL,
       (SELECT max(ended) FROM checkpoints_repin WHERE run_id = run.id),
       EXISTS (SELECT 1 FROM checkpoints_case WHERE run_id = run.id AND decided_at IS NULL
                  AND closed_at IS NULL),
       EXISTS (SELECT 1 FROM checkpoints_case WHERE run_id = run.id AND closed_at IS NULL)
  FROM checkpoints_run AS run
"""
OF_KEY = f"{STANDS} WHERE business_key = %s ORDER BY id DESC LIMIT 1"
UNDOES = f"""{STANDS} WHERE EXISTS (
       SELECT 1 FROM reconciliation_action AS action JOIN checkpoints_run AS own
           ON own.id = action.run_id
        WHERE own.business_key = %s
          AND starts_with(run.business_key, 'undo ' || action.id || ' '))
 ORDER BY id DESC LIMIT 1
"""
# How many durable steps people have made who decide the cases of a run.
SAID = """
SELECT (SELECT count(*) FROM checkpoints_verdict WHERE case_id = ANY(cases)
           AND proposal_id IS NULL)
     + (SELECT count(*) FROM checkpoints_proposedverdict WHERE case_id = ANY(cases))
     + (SELECT count(*) FROM checkpoints_proposedverdict WHERE case_id = ANY(cases)
           AND ended <> '')
     + (SELECT count(*) FROM checkpoints_superseded AS gone JOIN checkpoints_verdict AS verdict
            ON verdict.id = gone.verdict_id WHERE case_id = ANY(cases))
  FROM (SELECT array_agg(id) AS cases FROM checkpoints_case WHERE run_id IN
          (SELECT id FROM checkpoints_run WHERE business_key = %s)) AS of_run
"""

# Everything durable that decides how a run goes on, without names and times.
CONDITION = """
SELECT run.status, run.reason, run.head, run.next_node, run.effect_in_flight IS NOT NULL,
       (SELECT array_agg(ROW(action.stands, action.outcome, action.because,
                             action.evidence_at IS NOT NULL, action.absorbed_seq)::text
                         ORDER BY proposed_seq)
          FROM reconciliation_action AS action WHERE action.run_id = run.id),
       (SELECT array_agg(ROW(number, attempt.outcome)::text ORDER BY dispatched_at)
          FROM reconciliation_attempt AS attempt
          JOIN reconciliation_action AS action ON action.id = attempt.action_id
         WHERE action.run_id = run.id),
       (SELECT count(*) FROM reconciliation_receipt AS receipt
          JOIN reconciliation_action AS action ON action.id = receipt.action_id
         WHERE action.run_id = run.id),
       (SELECT array_agg(request.state ORDER BY asked_at)
          FROM approvals_approvalrequest AS request WHERE request.run_id = run.id)
  FROM checkpoints_run AS run WHERE business_key = %s ORDER BY id DESC LIMIT 1
"""

_VERSION = re.compile(r'\\"[0-9a-f]{32}\\"')
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Stands:
    """Where a run stands; `due_in` is in seconds."""

    status: str
    reason: str
    is_due: bool
    due_in: float
    is_asked: bool
    is_fork: bool
    order: str | None  # how the one to move to another combo ended; "" when it has not
    is_undecided: bool  # it has a case that a person has to decide
    is_unproven: bool  # or one of which it is not proven yet that this helped

    @property
    def is_final(self) -> bool:
        return self.status in FINAL


@dataclass(frozen=True)
class Done:
    """One action as the ledger has it at the end."""

    key: str
    tool: str
    stands: str
    outcome: str
    has_receipt: bool


@dataclass(frozen=True)
class End:
    """How a run ended. `result` is what must be the same however often it was interrupted."""

    status: str
    reason: str
    sentence: str
    result: str
    actions: tuple[Done, ...]
    damage: tuple[str, ...]
    case: str
    recoveries: tuple[tuple[datetime, datetime | None, str], ...]
    unapproved: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()

    @property
    def unknown(self) -> Done | None:
        """The one action that nobody knows about."""
        return next((done for done in self.actions if done.stands == DISPATCHED), None)


def stands(reader: psycopg.Connection, business_key: str) -> Stands | None:
    """Where the run is now, or its fork; None before it is started."""
    return _stands(reader, OF_KEY, business_key)


def undoing(reader: psycopg.Connection, business_key: str) -> Stands | None:
    """Where the newest run is that undoes an effect of this one; None when there is none."""
    return _stands(reader, UNDOES, business_key)


def said(reader: psycopg.Connection, business_key: str) -> int:
    """How many durable steps people have made who decide its cases."""
    row = reader.execute(SAID, [business_key]).fetchone()
    return int(row[0] or 0) if row is not None else 0


def _stands(reader: psycopg.Connection, statement: str, business_key: str) -> Stands | None:
    row = reader.execute(statement, [business_key]).fetchone()
    if row is None:
        return None
    return Stands(row[0], row[1], bool(row[2]), row[3] or 0.0, *row[4:])


def condition(reader: psycopg.Connection, business_key: str, effects: int) -> str:
    """Two runs in the same condition go on alike, however they got there."""
    row = reader.execute(CONDITION, [business_key]).fetchone()
    return f"{effects} effects, {row}"


def end_of(business_key: str, *, ticket: str = "") -> End:
    """Read everything about a run that ended or is held, or of its fork, by Django's own connection.

    `ticket` is the number of the ticket it is about, which is another in each world.
    """
    lineage = Run.objects.filter(business_key=business_key).order_by("-id")
    run = lineage.select_related("tenant", "combo")[0]
    case = Case.objects.filter(run=run, closed_at=None).first()
    ended = End(
        status=run.status,
        reason=run.reason or run.stop_reason,
        sentence=run.sentence,
        result=_result(run, ticket),
        actions=_actions(run),
        damage=tuple(reading.verify_run(run)),
        case=case.kind if case else "",
        recoveries=tuple(
            Recovery.objects.filter(run=run)
            .order_by("noticed_at")
            .values_list("noticed_at", "new_boundary_at", "ended")
        ),
        unapproved=tuple(counting.unapproved([run.pk])),
        unexplained=tuple(counting.unexplained([run.pk])),
    )
    connections.close_all()
    return ended


def _result(run: Run, ticket: str) -> str:
    """Status, nodes passed, last state with its lists: every id replaced by its number.

    What is encrypted is left out: it is under keys of this database.
    """
    head = reading.load_head(run)
    chains: Mapping[str, object] = head.state.get(reading.CHAINS, {})
    nodes = Checkpoint.objects.filter(run_id=run.id).order_by("seq").values_list("node", flat=True)
    whole = {
        "status": run.status,
        "stop": run.stop_reason,
        "nodes": list(nodes),
        "state": _with_documents(run, redaction.blanked(head.state)),
        "lists": {name: reading.chain_items(run, head, name) for name in chains},
        "verdicts": _verdicts(run),
        "undone": [[it.status, it.stop_reason] for it in undone.runs_of(run.business_key)],
        "plans": _plans(run),
    }
    text = canonical.dumps(whole).decode().replace(run.business_key, "(key)")
    text = _VERSION.sub("(version)", text.replace(ticket, "(ticket)") if ticket else text)
    numbers: dict[str, str] = {}
    return _UUID.sub(lambda found: numbers.setdefault(found[0], f"#{len(numbers)}"), text)


def _verdicts(run: Run) -> list[list[object]]:
    """What people said of its cases, in order, how many they were, and what of it counts."""
    given = Verdict.objects.filter(case__run__business_key=run.business_key).order_by("given_at")
    return [
        [each.case.kind, each.verdict, each.people, not hasattr(each, "superseded")]
        for each in given.select_related("case", "superseded")
    ]


def _plans(run: Run) -> list[list[object]]:
    """The plans that it was in: how each ended, and how many items of how many have a result."""
    found = Plan.objects.filter(items__run=run).order_by("number")
    return [
        [each.kind, each.state, each.total, sum(getattr(each, name) for name in planning.RESULTS)]
        for each in found
    ]


def _with_documents(run: Run, state: Any) -> Any:
    """The refund document in place of its digest: it names the action, which has a fresh id."""
    paper = state.get("paper")
    if paper is None:
        return state
    return {**state, "paper": blobs.get(run.tenant_id, paper).decode()}


def _actions(run: Run) -> tuple[Done, ...]:
    of_run = Q(run__business_key=run.business_key)
    of_undoing = Q(run__in=[each.pk for each in undone.runs_of(run.business_key)])
    return tuple(
        Done(
            key=bytes(action.key).hex(),
            tool=action.tool,
            stands=action.stands,
            outcome=action.outcome,
            has_receipt=action.receipts.exists(),
        )
        for action in Action.objects.filter(of_run | of_undoing).order_by("id")
    )
