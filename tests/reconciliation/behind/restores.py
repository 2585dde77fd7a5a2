"""A record that goes back in time while the world and the journal do not: a savepoint, rolled back."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.db import connection
from django.db.models.functions import Now

from approvals.models import Approval
from checkpoints.models import Run
from reconciliation.behind.models import MissingLine
from tenants.models import Installation
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import guards_off

HOUR: Final = timedelta(hours=1)


@contextmanager
def lost() -> Iterator[None]:
    """What the record is told in here it forgets. What was sent is in the world all the same."""
    Installation.objects.get_or_create(only=True)
    before = connection.savepoint()
    assert before is not None
    yield
    connection.savepoint_rollback(before)


def begin(engine: Bench, tool: str = "fake.void") -> Run:
    """A run that is about to propose its effect."""
    return engine.start(tool=tool, what="a")


def approved(engine: Bench, tool: str = "fake.void") -> Run:
    """A run whose effect is approved and not sent yet."""
    run = begin(engine, tool)
    engine.turn()
    engine.decide(run)
    return run


def to_the_end(engine: Bench, run: Run) -> None:
    """Take turns and say yes until nothing is left to do."""
    for _ in range(6):
        run.refresh_from_db()
        if run.status == "waiting" and run.reason == "for_approval":
            engine.decide(run)
        elif run.status == "queued":
            engine.turn()


def is_over(line: MissingLine) -> None:
    """Even a late arrival of it is over."""
    with guards_off():
        MissingLine.objects.filter(pk=line.pk).update(noticed_at=Now() - HOUR, boot_seconds=0.0)


def unused() -> int:
    """How many approvals would still let something be sent."""
    return Approval.objects.filter(state="unused").count()
