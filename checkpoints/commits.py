"""Commit: one statement inserts checkpoint n, moves the head and extends the lease.

Every guard is on a column of the run row that the statement updates: a guard elsewhere would be
judged on an old snapshot after waiting for the lock (rule 4).
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from canonical import digests
from checkpoints.boundaries import boundary
from checkpoints.database import execute
from checkpoints.errors import LeaseLostError
from checkpoints.headers import Ancestry, Step, header_bytes


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


@dataclass(frozen=True)
class Committed:
    """The new head: its number and digest (hex), and whether somebody asked to cancel."""

    seq: int
    digest: str
    at: datetime
    cancel_requested: bool


# Finds the run by primary key; the insert depends on the guarded update through `head`.
COMMIT = """
WITH head AS (
    UPDATE checkpoints_run
       SET head = %(seq)s, next_node = %(next_node)s, attempts = 0, node_failures = 0,
           progressed_at = clock_timestamp(),
           lease_until = clock_timestamp() + make_interval(secs => %(ttl)s)
     WHERE id = %(run)s AND fence = %(fence)s AND holder = %(holder)s AND head = %(seq)s - 1
       AND status = 'running' AND lease_until > clock_timestamp() AND effect_in_flight IS NULL
    RETURNING id, cancel_requested_at IS NOT NULL AS cancel_requested
)
INSERT INTO checkpoints_checkpoint
    (run_id, seq, parent_seq, node, next_node, state, header, digest, appended, fence, combo_id)
SELECT id, %(seq)s, %(parent_seq)s, %(node)s, %(next_node)s, %(state)s, %(header)s, %(digest)s,
       %(appended)s, %(fence)s, %(combo)s
  FROM head
RETURNING at, (SELECT cancel_requested FROM head)
"""

# The same with the references of newly named blobs; foreign keys refuse a blob that is gone.
COMMIT_NAMING_BLOBS = COMMIT.replace(
    "INSERT INTO checkpoints_checkpoint",
    """, named AS (
    INSERT INTO checkpoints_blobreference (run_id, tenant_id, digest)
    SELECT head.id, %(tenant)s, blob FROM head, unnest(%(blobs)s::bytea[]) AS blob
    ON CONFLICT DO NOTHING
)
INSERT INTO checkpoints_checkpoint""",
)

SEEN = "SELECT fence, head, status, effect_in_flight FROM checkpoints_run WHERE id = %(run)s"


def commit(lease: Lease, before: Ancestry, step: Step) -> Committed:
    """Make `step` the run's next checkpoint.

    The head moves from `lease.head` by one; `before` is the parent (an earlier checkpoint when
    the run goes back). Raises `LeaseLostError` with what was seen when any guard did not hold.
    """
    seq = lease.head + 1
    header = header_bytes(before, step, seq=seq)
    digest = digests.sha256_hex(header)
    values = {
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
    boundary("commit:before")
    rows = execute(COMMIT_NAMING_BLOBS if step.blobs else COMMIT, values)
    if not rows:
        raise _refused(lease)
    boundary("commit:after")
    at, cancel_requested = rows[0]
    return Committed(seq=seq, digest=digest, at=at, cancel_requested=cancel_requested)


def _refused(lease: Lease) -> LeaseLostError:
    fence, head, status, in_flight = execute(SEEN, {"run": lease.run_id})[0]
    return LeaseLostError(
        f"run {lease.run_id}: checkpoint {lease.head + 1} refused for fence {lease.fence}; "
        f"the run is {status} at checkpoint {head} under fence {fence}"
        + (f" with action {in_flight} in flight" if in_flight else "")
    )
