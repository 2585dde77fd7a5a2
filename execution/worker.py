"""The RQ worker: forks a horse for each wake-up, and gives its leases away when it dies.

RQ is a doorbell. What it thinks of a job's fate is never used: a dead horse is noticed with
`wait4`, which also works when Valkey was flushed (RQ's own handler asks it first).
"""

import contextlib
import ctypes
import os
import signal
import time
import uuid
from types import FrameType
from typing import Any

from django.db import connections
from rq import Queue
from rq.exceptions import StopRequested
from rq.executions import ExecutionRegistry
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import Worker, WorkerStatus

from checkpoints import registry, wakeups
from execution import drills, jobs, lapses, overtaken, processes
from execution.announcing import Announcer
from reconciliation.behind import comparing
from tenants.actors import Actor

_PR_SET_PDEATHSIG = 1
LISTEN_SECONDS = 5


class KedgeWorker(Worker):
    """A worker that owns the leases of its horse by a holder nonce made before the fork.

    `announcer` says which code it has, for the pages that say why a run waits.
    """

    announcer = Announcer(())

    @property
    def dequeue_timeout(self) -> int:
        """How long it listens before it looks up again: whether it is overtaken, too."""
        return LISTEN_SECONDS

    def fork_work_horse(self, job: Job, queue: Queue) -> None:
        """Fork with nothing open: an inherited connection would break the parent's session."""
        jobs.holder = uuid.uuid4()
        connections.close_all()
        super().fork_work_horse(job, queue)

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """In the horse: die with the parent, also when it died before this line."""
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent or parent == 1:
            os._exit(1)
        drills.in_horse()
        super().main_work_horse(job, queue)

    def wait_for_horse(self) -> Any:
        """Wait; when the horse died, end what it started, then give its leases away."""
        ended = super().wait_for_horse()
        pid, status, _ = ended
        # RQ wraps this in an alarm; what follows must not be cut short by it.
        signal.setitimer(signal.ITIMER_REAL, 0)
        if pid and status:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            lapses.of_holder(jobs.holder, why=_how(status), actor=Actor.machine(self.name))
        return ended

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """SIGTERM: RQ raises from the handler when idle; what swallows that must not keep it alive."""
        self._stop_requested = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def handle_warm_shutdown_request(self) -> None:
        """SIGTERM drains: the horse finishes what is in flight and begins nothing new."""
        if self.horse_pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGUSR1)

    def clean_registries(self) -> None:
        """Forget abandoned wake-ups before RQ cleans up: it stumbles over one whose worker is long
        gone, ends whichever worker cleans, and keeps the job for the next one to stumble over.
        """
        for queue in self.queues:
            _forget_abandoned(queue)
        super().clean_registries()  # type: ignore[no-untyped-call]

    def heartbeat(self, *arguments: Any, **options: Any) -> None:
        super().heartbeat(*arguments, **options)
        if not self.is_horse:
            horse = self.horse_pid or None
            # By its holder a page finds the run that the horse is at.
            holder = str(jobs.holder) if horse and jobs.holder else None
            codes = self.announcer.codes
            processes.seen(self.name, horse=horse, holder=holder, codes=codes)
            self.announcer.keep()
            if overtaken.by_what(self.name):
                self._drain()

    def _drain(self) -> None:
        """As on SIGTERM, from within: end the loop here when it is idle, else after the horse."""
        self._stop_requested = True
        self.handle_warm_shutdown_request()
        if self.get_state() == WorkerStatus.IDLE:
            raise StopRequested


def work(name: str, *, burst: bool = False) -> None:
    """Run a worker until it is told to stop. `burst`: until the queue is empty."""
    connection = wakeups.worker_connection()
    queue = Queue(wakeups.QUEUE, connection=connection, serializer=JSONSerializer)
    worker = KedgeWorker(
        [queue],
        name=f"{name}-{os.getpid()}",
        connection=connection,
        serializer=JSONSerializer,
        job_monitoring_interval=1,
        worker_ttl=60,
    )
    # Once here, or every horse would load the agents and digest their code before it can begin.
    # It also keeps the code that runs and the code that is digested the same.
    overtaken.wait_for_tables(worker.name, "worker")
    worker.announcer = Announcer(registry.codes())
    processes.started(worker.name, "worker", codes=worker.announcer.codes)
    worker.announcer.keep()
    comparing.at_start()
    try:
        worker.work(burst=burst)
    finally:
        connections.close_all()  # a signal may have cut one short in the middle of a statement
        processes.ended(worker.name)


def _forget_abandoned(queue: Queue) -> None:
    registry, until = queue.started_job_registry, time.time()
    for job_id in registry.get_expired_job_ids(until):
        kept = (Job.key_for(job_id), ExecutionRegistry.key_template.format(job_id))
        queue.connection.delete(*kept)
    queue.connection.zremrangebyscore(registry.key, 0, until)


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"its worker was killed by signal {os.WTERMSIG(status)}"
    return f"its worker ended with exit code {os.WEXITSTATUS(status)}"
