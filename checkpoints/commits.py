"""Commit: one statement inserts checkpoint n, moves the head and extends the lease.

Every guard is on a column of the run row that the statement updates: a guard elsewhere would be
judged on an old snapshot after waiting for the lock (rule 4).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from uuid import UUID

from canonical import digests
from checkpoints.boundaries import boundary
from checkpoints.errors import LeaseLostError
from checkpoints.headers import Ancestry, Step, header_bytes
from tenants import database


@dataclass(frozen=True)
class Lease:
    """The right to advance one run. Every write shows `fence` and `holder`."""

    run_id: UUID
    tenant_id: int
    combo_id: int
    fence: int
    holder: UUID
    head: int
    wakes: int
    attempts: int
    ttl_seconds: float
    # Whether a recovery is under way or a decided case waits for its proof: the next boundary.
    owes_proof: bool = True


@dataclass(frozen=True)
class Committed:
    """The new head: its number and digest (hex).

    `called_away`: somebody asked that the run ends, or moves to another combo.
    """

    seq: int
    digest: str
    called_away: bool


@dataclass(frozen=True)
class Rider:
    """What a floor above writes in the commit's own statement, all or nothing.

    `sql` changes exactly one row, reads the CTE `head`, and returns one row; `values` are its own,
    and it may use the commit's `%(run)s` and `%(seq)s`. `what` says what it was when it did not.
    """

    sql: str
    values: Mapping[str, Any]
    what: str


@dataclass(frozen=True)
class Made:
    """A commit whose bytes are made: sending them is all that is left. `digest` is hex."""

    lease: Lease
    before: Ancestry
    step: Step
    seq: int
    digest: str
    statement: str
    values: Mapping[str, Any]


# Finds the run by primary key; everything else depends on the guarded update through `head`. That
# it is running goes with its holder (`a_run_is_leased_iff_running`); asked for here it would lead
# the planner to the index of all leases.
HEAD = """
WITH head AS (
    UPDATE checkpoints_run
       SET head = %(seq)s::bigint, next_node = %(next_node)s, attempts = 0, node_failures = 0,
           progressed_at = clock_timestamp(),
           lease_until = clock_timestamp() + make_interval(secs => %(ttl)s)
     WHERE id = %(run)s AND fence = %(fence)s AND holder = %(holder)s AND head = %(seq)s::bigint - 1
       AND lease_until > clock_timestamp() AND effect_in_flight IS NULL AND combo_id = %(combo)s
    RETURNING id, cancel_requested_at IS NOT NULL OR moving_to_id IS NOT NULL AS called_away
)"""

# References of newly named blobs; foreign keys refuse a blob that is gone.
NAMED = """, named AS (
    INSERT INTO checkpoints_blobreference (run_id, tenant_id, digest)
    SELECT head.id, %(tenant)s, blob FROM head, unnest(%(blobs)s::bytea[]) AS blob
    ON CONFLICT DO NOTHING
)"""

CHECKPOINT = """
INSERT INTO checkpoints_checkpoint
    (run_id, seq, parent_seq, node, next_node, state, header, digest, appended, fence, combo_id)
SELECT id, %(seq)s, %(parent_seq)s, %(node)s, %(next_node)s, %(state)s, %(header)s, %(digest)s,
       %(appended)s, %(fence)s, %(combo)s
  FROM head"""

WITH_RIDER = " WHERE kedge_must((SELECT count(*) FROM rider) = 1, %(rider)s)"

DONE = " RETURNING (SELECT called_away FROM head)"

SEEN = "SELECT fence, head, status, effect_in_flight FROM checkpoints_run WHERE id = %(run)s"


def commit(lease: Lease, before: Ancestry, step: Step, *, rider: Rider | None = None) -> Committed:
    """Make `step` the run's next checkpoint.

    The head moves from `lease.head` by one; `before` is the parent (an earlier checkpoint when
    the run goes back). Raises `LeaseLostError` with what was seen when any guard did not hold,
    `IntegrityError` when the rider's row could not be changed (then nothing was).
    """
    return send(made(lease, before, step, rider=rider)).committed


def made(lease: Lease, before: Ancestry, step: Step, *, rider: Rider | None = None) -> Made:
    """The bytes of a commit; nothing is asked of the database."""
    seq = lease.head + 1
    header = header_bytes(before, step, seq=seq)
    digest = digests.sha256_hex(header)
    values: dict[str, Any] = {
        "run": lease.run_id,
        "tenant": lease.tenant_id,
        "combo": lease.combo_id,
        "fence": lease.fence,
        "holder": lease.holder,
        "ttl": lease.ttl_seconds,
        "seq": seq,
        "parent_seq": before.seq,
        "node": step.node,
        "next_node": step.next_node,
        "state": step.state,
        "header": header,
        "digest": bytes.fromhex(digest),
        "appended": step.appended,
    }
    if step.blobs:
        values["blobs"] = [bytes.fromhex(blob) for blob in step.blobs]
    if rider is not None:
        values |= {**rider.values, "rider": rider.what}
    statement = _statement(named=bool(step.blobs), rider=rider.sql if rider else "")
    return Made(lease, before, step, seq, digest, statement, values)


def send(made: Made) -> "Sent":
    """Let a commit go its way. Until it is `Sent.committed`, nothing may rely on it."""
    boundary("commit:before")
    return Sent(made, database.send(made.statement, made.values))


class Sent:
    """A commit on its way."""

    def __init__(self, made: Made, answer: database.Answer) -> None:
        self._made, self._answer = made, answer

    @cached_property
    def committed(self) -> Committed:
        """What became of it, once that is known. Raises what `commit` raises, each time."""
        rows = self._answer.rows()
        if not rows:
            raise _refused(self._made.lease)
        boundary("commit:after")
        return Committed(self._made.seq, self._made.digest, called_away=rows[0][0])


@cache
def _statement(*, named: bool, rider: str) -> str:
    riding = f", rider AS ({rider})" if rider else ""
    guard = WITH_RIDER if rider else ""
    return HEAD + (NAMED if named else "") + riding + CHECKPOINT + guard + DONE


def _refused(lease: Lease) -> LeaseLostError:
    fence, head, status, in_flight = database.execute(SEEN, {"run": lease.run_id})[0]
    return LeaseLostError(
        f"run {lease.run_id}: checkpoint {lease.head + 1} refused for fence {lease.fence}; "
        f"the run is {status} at checkpoint {head} under fence {fence}"
        + (f" with action {in_flight} in flight" if in_flight else "")
    )
