"""What the triggers noted and nobody has sorted in yet: from which problem to which each run moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from execution.problems.models import RETRY, UNKNOWN, ProblemRun
from execution.problems.seen import LOOK, Seen, seen
from tenants.database import Rows, execute
from tenants.models import Tenant

AT_ONCE: Final = 500
# Index: unsorted_by_tenant, or the primary key.
NOTED: Final = """
SELECT id, run_id FROM execution_unsorted
 WHERE %(tenant)s::bigint IS NULL OR tenant_id = %(tenant)s
 ORDER BY id LIMIT %(most)s
"""


@dataclass(frozen=True)
class Move:
    """One run: to what it counted until now (or None), and what it has now (`what` "": nothing)."""

    before: ProblemRun | None
    now: Seen


def pending(tenant: Tenant) -> list[Move]:
    """What of a tenant is not sorted in yet, at most `AT_ONCE`; changes nothing."""
    return moves(look(noted(tenant.pk)))


def noted(tenant_id: int | None) -> Rows:
    """The ids of notes, and the runs they name, oldest first."""
    return execute(NOTED, {"tenant": tenant_id, "most": AT_ONCE})


def look(notes: Rows) -> list[Seen]:
    """What each run that is named has now."""
    runs = list({run for _, run in notes})
    return seen(execute(LOOK, {"runs": runs})) if runs else []


def moves(found: Sequence[Seen]) -> list[Move]:
    """The runs of which something changes."""
    kept = _kept([one.run_id for one in found])
    each = [Move(kept.get(one.run_id), one) for one in found]
    return [move for move in each if _changes(move)]


def _kept(runs: Sequence[UUID]) -> dict[UUID, ProblemRun]:
    if not runs:
        return {}
    open_now = ProblemRun.objects.filter(ProblemRun.OPEN, run__in=runs)
    return {each.run_id: each for each in open_now.select_related("problem")}


def _changes(move: Move) -> bool:
    before, now = move.before, move.now
    if before is None:
        return now.what != ""
    if now.what == "":
        # Between two tries it works: that is no end of the trouble until it commits past it.
        waits = before.what in (RETRY, UNKNOWN) and now.is_live and now.head <= before.head
        return not waits
    return (
        before.problem.fingerprint,
        before.what,
        before.case_id,
        before.action_id,
        before.decided_at,
    ) != (now.fingerprint, now.what, now.case_id, now.action_id, now.decided_at)
