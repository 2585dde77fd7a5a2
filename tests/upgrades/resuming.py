"""Brings every run of an opened database to its end: machines go on, people answer what they are asked."""

import time
from contextlib import suppress
from typing import Final
from uuid import uuid4

from approvals import states as permission
from approvals.models import ApprovalRequest
from checkpoints import liftings, states
from checkpoints.errors import RecordError
from checkpoints.models import Case, Run, Stop
from execution import horse, lookers, sweeper
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tenants import clock
from tenants.actors import BY_COMMAND, Actor, Proof
from tenants.models import Tenant, User
from tests.opening import read_and_decide
from tests.people import ada, eve

LONGEST_SECONDS: Final = 90
LOOKS_SECONDS: Final = 10
FASTEST: Final = 600


def resume(approver: User) -> None:
    """Return once every run has ended; fail with those that have not.

    A record that stands on another server than the one it was written on sends nothing before two
    people have said that it may: that, too, is asked of people.
    """
    end = time.monotonic() + LONGEST_SECONDS
    live = Run.objects.exclude(status__in=states.FINAL)
    while live.exists():
        assert time.monotonic() < end, list(live.values_list("business_key", "status", "reason"))
        sweeper.sweep()
        lookers.wait(LOOKS_SECONDS)
        horse.take_turns(uuid4())
        _answer(approver)
        _lift()


def _answer(approver: User) -> None:
    for asked in ApprovalRequest.objects.filter(state=permission.OPEN):
        read_and_decide(asked, approver)
    for case in Case.objects.filter(kind=states.OUTCOME_UNKNOWN, decided_at=None, closed_at=None):
        given = Given(verdicts.IT_HAPPENED, "I looked", evidence="the outside world itself")
        verdicts.give(case.pk, given, user=approver)


def _lift() -> None:
    for stop in Stop.objects.filter(lock="effects", lifted_at=None):
        tenant = Tenant.objects.get()
        with suppress(RecordError):  # not all is compared yet: the next round tries again
            made = liftings.propose(
                stop.pk, why="it was opened", per_minute=FASTEST, actor=_proven(ada(tenant))
            )
            liftings.confirm(made.pk, actor=_proven(eve(tenant)))


def _proven(user: User) -> Actor:
    return Actor.person(user, Proof(BY_COMMAND, clock.now()))
