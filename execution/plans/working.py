"""The sweeper's duties for plans, done beside it: a plan that hangs keeps nobody from being noticed."""

import logging
from functools import partial
from typing import Final
from uuid import UUID

from django.db.models import F

from execution.beside import Beside
from execution.plans import carrying, computing, proving, states
from execution.plans.models import Plan

log = logging.getLogger(__name__)

KIND: Final = "plan"
AT_ONCE: Final = 3
CHUNKS: Final = 20

_plans: Final = Beside()


def work() -> int:
    """Start on the plans that have work and for which there is room; returns how many."""
    room = _plans.room(KIND, at_once=AT_ONCE)
    if room <= 0:
        return 0
    with_work = Plan.objects.filter(state__in=[states.COMPUTING, states.STARTED])
    # Whoever had the least lately comes first; one that another process is at, it is left to.
    found = with_work.order_by(F("paced_at").asc(nulls_first=True)).values_list("pk", "state")
    begun = list(found[:room])
    for plan_id, state in begun:
        _plans.start(KIND, partial(_do, plan_id, state))
    return len(begun)


def prove() -> int:
    """Look at what was carried out and is not yet proven; returns how many items moved."""
    return proving.prove_all()


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    return _plans.wait(seconds)


def _do(plan_id: UUID, state: str) -> None:
    try:
        if state == states.STARTED:
            carrying.carry_on(plan_id)
            return
        for _chunk in range(CHUNKS):
            if computing.compute(plan_id) == 0:
                return
    except Exception:  # nothing is lost by it: the rows say what is left to do
        log.exception("plan %s was not worked on", plan_id)
