"""Looking again while a request waits: who looks now, and what the look found. The world is not here.

A look is claimed in one short transaction, made without any lock, and noted in another. Whoever
took too long has lost the claim: what they bring is not noted.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction

from approvals import clock, locks, requests, states
from approvals.drift import comparing
from approvals.hashing import Difference
from approvals.models import ApprovalRequest
from approvals.models.freshness import EQUAL, MOVED, Freshness
from canonical.redaction import Said
from tenants.actors import Actor
from tenants.database import execute
from tenants.keys import hiding

SWEEPER: Final = Actor.machine("sweeper")
LONGEST_ERROR: Final = 400
MOST_FILES: Final = 50
# A tool that is down is asked ever more rarely, up to this many times its pace.
SLOWEST: Final = 16

# One round of claims per tool at a time, so that `at_once` also holds between sweepers.
ALONE = "SELECT pg_try_advisory_xact_lock(hashtextextended('kedge:looks:' || %(tool)s, 0))"
# Relies on looks_due_by_tool. Longest due first; those under way count against the limit.
# Materialized: as a plain subquery it is run once per row it finds, and the limit means nothing.
CLAIM = """
WITH due AS MATERIALIZED (
    SELECT request_id FROM approvals_freshness
     WHERE tool = %(tool)s AND due_at <= clock_timestamp()
       AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())
     ORDER BY due_at
     LIMIT least(%(room)s, greatest(0, %(at_once)s - (
        SELECT count(*) FROM approvals_freshness
         WHERE tool = %(tool)s AND due_at IS NOT NULL AND claimed_until > clock_timestamp())))
       FOR UPDATE SKIP LOCKED
)
UPDATE approvals_freshness AS looked SET claim = %(claim)s,
       claimed_until = clock_timestamp() + make_interval(secs => %(seconds)s)
  FROM due WHERE looked.request_id = due.request_id
RETURNING looked.request_id
"""


@dataclass(frozen=True)
class Pace:
    """How one tool is asked: every so many seconds, so many at once anywhere, each for `seconds`."""

    every: int
    at_once: int
    seconds: float


@dataclass(frozen=True)
class Look:
    """The right to look again for one request, until the claim runs out. `every`: its pace, s."""

    request_id: UUID
    claim: UUID
    every: int


def claim(tool: str, pace: Pace, *, room: int) -> list[Look]:
    """Claim due looks of one tool, at most `room` of them for this process."""
    mine = uuid4()
    values = {
        "tool": tool,
        "claim": mine,
        "seconds": pace.seconds,
        "at_once": pace.at_once,
        "room": room,
    }
    with transaction.atomic():
        if not execute(ALONE, {"tool": tool})[0][0]:
            return []
        rows = execute(CLAIM, values)
    return [Look(request_id, mine, pace.every) for (request_id,) in rows]


def note_seen(look: Look, moved: Sequence[Difference], files: Sequence[str] | None = None) -> bool:
    """Keep what a dry run showed: `moved` is empty when it was exactly what people were shown.

    A change of the verdict is an event of the run. False: too late, or nobody is asked any more.
    """
    with transaction.atomic():
        request, row = _locked(look)
        if row is None:
            return False
        was = row.verdict
        row.verdict = MOVED if moved else EQUAL
        row.differences = [asdict(difference) for difference in moved]
        row.files = None if files is None else list(files[:MOST_FILES])
        row.seen_at, row.error, row.failures = clock.now(), "", 0
        _end(row, again_in=look.every)
        if row.verdict != was:
            verb = "find_moved" if moved else "find_as_before"
            fields = hiding.text(comparing.fields(list(moved)))
            requests.record(request, SWEEPER, verb, moved=fields)
    return True


def note_unseen(look: Look, error: Said) -> bool:
    """Keep why the world could not be seen: what was found before stands, and its age is shown."""
    with transaction.atomic():
        _, row = _locked(look)
        if row is None:
            return False
        row.error = hiding.said(error)[:LONGEST_ERROR] or "no reason given"
        row.failures += 1
        _end(row, again_in=look.every * min(2**row.failures, SLOWEST))
    return True


def due_now(request_id: UUID) -> None:
    """Let the next round look: somebody wants to know."""
    Freshness.objects.filter(pk=request_id, due_at__isnull=False).update(due_at=clock.now())


def _locked(look: Look) -> tuple[ApprovalRequest, Freshness | None]:
    """Lock the request and its row; None when the claim is lost or the request is closed."""
    request = locks.request(look.request_id)
    row = Freshness.objects.select_for_update().get(pk=look.request_id)
    if row.claim != look.claim:
        return request, None
    if request.state == states.OPEN:
        return request, row
    row.due_at = row.claim = row.claimed_until = None
    row.save(update_fields=["due_at", "claim", "claimed_until"])
    return request, None


def _end(row: Freshness, *, again_in: int) -> None:
    row.due_at = clock.now() + timedelta(seconds=again_in)
    row.claim = row.claimed_until = None
    row.save()
