"""The sweeper: a loop over durable state that re-creates whatever a crash or a flush lost.

It remembers nothing: killed at any moment, the next round does the same again. Any number of
sweepers may run beside each other.
"""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from approvals import requests
from approvals import states as permission
from approvals.models import ApprovalRequest
from checkpoints import liftings, proving, states, wakeups
from checkpoints.boundaries import boundary
from checkpoints.models import Run
from execution import (
    askers,
    credentialchecks,
    doorways,
    journals,
    lapses,
    lookers,
    overtaken,
    pacing,
    processes,
    repinning,
    samplers,
    secondlooks,
    senders,
    unmanned,
)
from execution.alerts import watching as alerts
from execution.edits import ending as edits
from execution.forks import waking
from execution.plans import working as plans
from execution.problems import sorting
from reconciliation import spool, stopping
from reconciliation.behind import comparing, noticing, settling
from tenants import chain
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.trail import heads

log = logging.getLogger(__name__)

SWEEPER = Actor.machine("sweeper")
MOST_PER_ROUND = 200
RING_AGAIN_AFTER = timedelta(seconds=5)


def sweep() -> dict[str, int]:
    """One round; returns what each duty did. A duty that fails does not keep others from theirs."""
    done: dict[str, int] = {}
    for name, duty in _duties().items():
        boundary(f"sweep {name}:before")
        try:
            done[name] = duty()
        except (DatabaseError, InterfaceError) as error:
            log.warning("sweep %s: %s", name, error)
            connection.close()
        except Exception:
            log.exception("sweep %s failed", name)
    return done


def run_forever(name: str, stopping: Callable[[], bool]) -> None:
    """Sweep until told to stop or overtaken; says once a second that it is alive."""
    overtaken.wait_for_tables(name, "sweeper")
    processes.started(name, "sweeper")
    comparing.at_start()
    said = 0.0
    while not stopping() and not overtaken.by_what(name):
        began = time.monotonic()
        done = sweep()
        if began - said >= 1:
            said = began
            took = int((time.monotonic() - began) * 1000)
            processes.seen(name, took_ms=took, did={key: n for key, n in done.items() if n})
        time.sleep(max(0.0, settings.KEDGE_SWEEP_SECONDS - (time.monotonic() - began)))
    processes.ended(name)


def _duties() -> dict[str, Callable[[], int]]:
    """Its own, and those of floors above."""
    above = {name: import_string(path) for name, path in settings.SWEEP_DUTIES.items()}
    return {**DUTIES, **above}


def _ring_due() -> int:
    """Due runs whose wake-up was lost, or came when nobody listened."""
    due = Run.objects.filter(status__in=[states.QUEUED, states.WAITING], due_at__lte=Now()).filter(
        # Or it became due since: what took it up in between wrote down when.
        Q(woken_at=None) | Q(woken_at__lt=Now() - RING_AGAIN_AFTER) | Q(woken_at__lt=F("due_at"))
    )
    ids = list(due.order_by("due_at").values_list("id", flat=True)[:MOST_PER_ROUND])
    # Marked first: a queue that cannot be reached is not tried for each run again and again.
    Run.objects.filter(id__in=ids).update(woken_at=Now())
    for run_id in ids[:20]:
        wakeups.ring(run_id)
    return len(ids)


def _wake_decided() -> int:
    """Runs that wait for an approval which was decided: the wake-up derived from the fact."""
    still_open = ApprovalRequest.objects.filter(run=OuterRef("id"), state=permission.OPEN)
    asked = ApprovalRequest.objects.filter(run=OuterRef("id"))
    decided = Run.objects.filter(status=states.WAITING, reason=states.FOR_APPROVAL).filter(
        Exists(asked), ~Exists(still_open)
    )
    return _wake(decided.values_list("id", flat=True), "The question is decided.")


def _wake(found: QuerySet[Run, UUID], why: str) -> int:
    ids = list(found[:MOST_PER_ROUND])
    for run_id in ids:
        with transaction.atomic():
            wakeups.wake(run_id, why=hiding.text(why))
    return len(ids)


DUTIES: dict[str, Callable[[], int]] = {
    "compare the journal": comparing.watch,
    "withdraw grants": noticing.withdraw_grants,
    "settle missing lines": settling.settle_known,
    "ask about missing lines": journals.ask,
    "forget old lines": journals.forget,
    "lapse unlocked": lambda: lapses.unlocked(actor=SWEEPER),
    "lapse overdue": lambda: lapses.overdue(actor=SWEEPER),
    "ring due": _ring_due,
    "tell the unmanned": unmanned.tell,
    "move runs": repinning.move_due,
    "expire approvals": lambda: requests.expire_due(MOST_PER_ROUND),
    "end edits": lambda: edits.end_due(MOST_PER_ROUND),
    "look again": lookers.look_again,
    "ask second looks": secondlooks.ask,
    "sample effects": samplers.sample,
    "watch alerts": alerts.watch,
    "wake decided": _wake_decided,
    "wake same key": waking.wake_all,
    "prove cases": lambda: proving.watch(MOST_PER_ROUND, actor=SWEEPER),
    "expire liftings": liftings.expire_all,
    "let go on": pacing.let_go_on,
    "probe doors": doorways.probe,
    "let through doors": doorways.let_go_on,
    "ask again": askers.ask_again,
    "check credentials": credentialchecks.check,
    "warn of credentials": credentialchecks.warn,
    "work on plans": plans.work,
    "prove plans": plans.prove,
    "mark reconciled": stopping.mark_all_reconciled,
    "bring in receipts": spool.bring_in,
    "seal audit": chain.seal,
    "sign audit": heads.sign_due,
    "sort problems": sorting.sort,
    "remind people": senders.remind,
    "send notifications": senders.send,
}
