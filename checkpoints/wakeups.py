"""The only line that enqueues: "look at this run". Losing a wake-up loses nothing.

The queue carries a hint. PostgreSQL decides which run is due; the sweeper repeats every wake-up.
"""

import logging
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

from canonical.redaction import Said
from checkpoints import states
from checkpoints.models import Run
from tenants.keys import hiding

log = logging.getLogger(__name__)

QUEUE = "kedge"
# By dotted name: the jobs live above this floor.
JOB = "execution.jobs.look_at"


def connection() -> Redis:
    """A connection that fails fast: no retries, half a second."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=0.5,
        socket_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
    )


def worker_connection() -> Redis:
    """A worker's own connection: it blocks on the queue, so without the short time-out."""
    return Redis.from_url(settings.REDIS_URL)


def wake(run_id: UUID, *, why: Said) -> None:
    """Make a run due, inside the caller's transaction, and ring the doorbell on its commit.

    A waiting run becomes queued. A running one keeps its status, but its worker sees that `wakes`
    has grown and will not suspend over it (rule 15). A held or final run only counts.
    """
    # The first statement takes the row's lock, so the second judges what is true under it.
    Run.objects.filter(id=run_id).update(wakes=F("wakes") + 1, woken_at=Now())
    Run.objects.filter(id=run_id, status=states.WAITING).update(
        status=states.QUEUED, reason=states.WOKEN, sentence=hiding.said(why), due_at=Now()
    )
    transaction.on_commit(lambda: ring(run_id))


def ring(run_id: UUID) -> None:
    """Put one wake-up on the queue. A failure is logged, never raised: the sweeper rings again."""
    try:
        queue = Queue(QUEUE, connection=connection(), serializer=JSONSerializer)
        # No `unique`: a dead worker's job key would refuse every later wake-up for a year.
        queue.enqueue(JOB, str(run_id), result_ttl=0, failure_ttl=0, job_timeout=-1)
    except (RedisError, OSError) as error:
        log.warning("wake-up not sent, the sweeper will: %s", error, extra={"run": str(run_id)})
