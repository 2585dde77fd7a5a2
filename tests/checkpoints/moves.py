"""Runs that move to another combo, as the tests of the record need them: without a look at actions."""

from uuid import UUID, uuid4

from django.db import transaction

from checkpoints import repins
from checkpoints.models import Combo, Repin, Run
from checkpoints.repins import Cause
from tenants.actors import Actor

SHELL = Actor.machine("shell")
ROLLBACK = UUID(int=7)


def ordered(run: Run, to: Combo, **how: object) -> Repin:
    """An open order."""
    given = {"why": "it is worse", "cause": Cause.rollback(ROLLBACK), "actor": SHELL, **how}
    with transaction.atomic():
        return repins.order(run, to, **given)  # type: ignore[arg-type]


def moved(run: Run, to: Combo) -> Repin:
    """Ordered and moved, as it stands."""
    repin = ordered(run, to)
    with transaction.atomic():
        return repins.move(repin, actor=SHELL)


def insert(run: Run, to: Combo, **values: object) -> Repin:
    """An order as somebody with the database's password would write it."""
    row = {
        "run": run,
        "tenant_id": run.tenant_id,
        "from_combo_id": run.combo_id,
        "to_combo": to,
        "why": "by hand",
        "cause": "rollback",
        "reference": uuid4(),
        "ordered_by": "nobody",
    }
    return Repin.objects.create(**{**row, **values})
