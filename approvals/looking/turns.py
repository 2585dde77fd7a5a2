"""Whose turn it is to be looked at: put in line by the question, claimed by whoever asks the model.

A turn is claimed in one short transaction and ended in another; nothing is held while a model is
asked, and whoever took too long has lost the claim. A few a minute for each tenant.
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction

from approvals.models import ApprovalRequest
from approvals.models.secondlooks import SecondLookTurn
from approvals.rules import Requirement
from canonical.redaction import Said
from tenants.database import execute
from tenants.keys import hiding

# Twice the port's longest answer, connecting included, and what stands around it.
CLAIM_SECONDS: Final = 180
LONGEST_ERROR: Final = 400
MOST_RETIRED: Final = 500

# One round of claims at a time, so that the pace of a tenant also holds between sweepers.
ALONE: Final = "SELECT pg_try_advisory_xact_lock(hashtextextended('kedge:second-looks', 0))"
# What was answered, withdrawn or has run out needs no look any more. By second_looks_due_by_tenant.
RETIRE: Final = """
WITH over AS MATERIALIZED (
    SELECT turn.request_id FROM approvals_secondlookturn AS turn
      JOIN approvals_approvalrequest AS request ON request.id = turn.request_id
     WHERE turn.due_at <= clock_timestamp() AND turn.claim IS NULL
       AND (request.state <> 'open' OR request.expires_at <= clock_timestamp())
     LIMIT %(most)s FOR UPDATE OF turn SKIP LOCKED
)
UPDATE approvals_secondlookturn AS turn SET due_at = NULL
  FROM over WHERE turn.request_id = over.request_id
"""
# Of each tenant the longest due, as many as its minute has left. Both indexes begin with the tenant.
CLAIM: Final = """
WITH due AS MATERIALIZED (
    SELECT found.request_id, found.due_at FROM tenants_tenant AS tenant
     CROSS JOIN LATERAL (
        SELECT turn.request_id, turn.due_at FROM approvals_secondlookturn AS turn
         WHERE turn.tenant_id = tenant.id AND turn.due_at <= clock_timestamp()
           AND (turn.claimed_until IS NULL OR turn.claimed_until <= clock_timestamp())
         ORDER BY turn.due_at
         LIMIT greatest(0, %(a_minute)s - (
            SELECT count(*) FROM approvals_secondlookturn AS begun
             WHERE begun.tenant_id = tenant.id
               AND begun.begun_at > clock_timestamp() - interval '1 minute'))) AS found
     ORDER BY found.due_at LIMIT %(room)s
), mine AS MATERIALIZED (
    SELECT request_id FROM approvals_secondlookturn
     WHERE request_id IN (SELECT request_id FROM due) FOR UPDATE SKIP LOCKED
)
UPDATE approvals_secondlookturn AS turn SET claim = %(claim)s, tries = turn.tries + 1, begun_at = clock_timestamp(),
       claimed_until = clock_timestamp() + make_interval(secs => %(seconds)s)
  FROM mine WHERE turn.request_id = mine.request_id
RETURNING turn.request_id, turn.tries
"""

AGAIN: Final = """
UPDATE approvals_secondlookturn SET claim = NULL, claimed_until = NULL, error = %(error)s,
       tries = %(tries)s, due_at = clock_timestamp() + make_interval(secs => %(seconds)s)
 WHERE request_id = %(request)s AND claim = %(claim)s
RETURNING request_id
"""


@dataclass(frozen=True)
class Turn:
    """The right to have one request looked at, until the claim runs out.

    `tries` counts this one too, from the moment it is claimed: who dies while asking has tried.
    """

    request_id: UUID
    claim: UUID
    tries: int


def put_in_line(request: ApprovalRequest, requirement: Requirement) -> None:
    """Inside the transaction of the question: let a model look, if the rules want it."""
    if requirement.second_look:
        SecondLookTurn.objects.create(request=request, tenant_id=request.tenant_id)


def claim(*, room: int, a_minute: int) -> list[Turn]:
    """Claim due turns, at most `room` for this process and `a_minute` for each tenant."""
    mine = uuid4()
    values = {"claim": mine, "seconds": CLAIM_SECONDS, "room": room, "a_minute": a_minute}
    with transaction.atomic():
        if not execute(ALONE, {})[0][0]:
            return []
        execute(RETIRE, {"most": MOST_RETIRED})
        found = execute(CLAIM, values)
    return [Turn(request_id, mine, tries) for request_id, tries in found]


def again_in(turn: Turn, *, seconds: int, error: Said, counts: bool) -> bool:
    """Let it be tried again; without `counts` nobody was asked. False: the claim is lost."""
    values = {
        "request": turn.request_id,
        "claim": turn.claim,
        "seconds": seconds,
        "error": hiding.said(error)[:LONGEST_ERROR] or "no reason given",
        "tries": turn.tries if counts else turn.tries - 1,
    }
    return bool(execute(AGAIN, values))


def held(turn: Turn) -> SecondLookTurn | None:
    """Lock the row of a turn; None when its claim is lost."""
    row = SecondLookTurn.objects.select_for_update().get(pk=turn.request_id)
    return row if row.claim == turn.claim else None


def end(row: SecondLookTurn) -> None:
    """Nothing is to be asked about it any more. The caller holds the row."""
    row.due_at = row.claim = row.claimed_until = None
    row.save(update_fields=["due_at", "claim", "claimed_until"])
