"""Time, the sweeper and the queue in the machine: what is waited for comes when a rule says so."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from redis import Redis

from approvals import clock, requests
from approvals import states as permission
from approvals.models import ApprovalRequest
from checkpoints import runs, states
from checkpoints.models import Run
from execution import pacing, sweeper
from reconciliation.models import Attempt, LookUp
from tenants.actors import Actor
from tests.checkpoints.records import by_force

SWEEPER = Actor.machine("sweeper")
LONG_AGO = timedelta(hours=1)


def lapse(run: Run) -> None:
    """The lease of a run at work is given away; its worker may live."""
    runs.lapse(run.pk, fence=run.fence, why="silent", actor=SWEEPER)


def sweep() -> None:
    """A round of the sweeper. Hands have no session locks, so it takes all of them for dead."""
    sweeper.sweep()


def let_go_on() -> None:
    """The sweeper's duty after a stop was lifted."""
    pacing.let_go_on()


def come() -> None:
    """Whatever a run waits for by the clock is due."""
    waiting = Run.objects.filter(status__in=[states.QUEUED, states.WAITING], due_at__gt=Now())
    waiting.exclude(reason=states.FOR_APPROVAL).update(due_at=clock.now() - timedelta(seconds=1))


def close_windows() -> None:
    """Deadline and margin of every call are over, by both clocks."""
    with transaction.atomic(), by_force():
        Attempt.objects.filter(outcome="").update(deadline_at=clock.now() - LONG_AGO)
        LookUp.objects.update(boot_seconds=0)


def expire(which: int) -> None:
    """Nobody answered one of the questions, or used one of the answers, in time."""
    live = list(ApprovalRequest.objects.filter(state__in=permission.LIVE).order_by("asked_at"))
    if not live:
        return
    with transaction.atomic(), by_force():
        ApprovalRequest.objects.filter(pk=live[which % len(live)].pk).update(
            expires_at=F("asked_at") + timedelta(microseconds=1)
        )
    requests.expire_due(10)


def flush_the_doorbell() -> None:
    """The queue forgets everything."""
    with Redis.from_url(settings.REDIS_URL) as connection:
        connection.flushdb()
