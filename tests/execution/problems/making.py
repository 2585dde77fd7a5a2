"""Runs in trouble for the tests of problems: by real verbs where the engine has one, else by rows."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models.functions import Now

from canonical.redaction import ours
from checkpoints import cases, runs, states
from checkpoints.cases import Trouble
from checkpoints.commits import Lease
from checkpoints.models import Case, Combo, Run
from checkpoints.runs import Outcome
from execution.problems import reading, sorting
from execution.problems.standing import Standing
from tenants.actors import Actor
from tenants.keys import hiding
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import guards_off

WORKER = Actor.machine("worker")


def held(engine: Bench, said: str = "no answer", kind: str = states.OUTCOME_UNKNOWN) -> Case:
    """A run held with a case of this kind and error."""
    lease = leased(engine)
    facts = hiding.texts(error=said, tool="fake.nothing")
    runs.hold(lease, Trouble(kind, ours("It went wrong."), facts), actor=WORKER)
    return Case.objects.get(run=lease.run_id, closed_at=None)


def failed(engine: Bench, said: str = "it broke", why: str = states.CONDITION_UNMET) -> Run:
    """A run that ended as failed with this sentence."""
    lease = leased(engine)
    runs.finish(lease, Outcome(states.FAILED, why, hiding.text(said)), actor=WORKER)
    return Run.objects.get(pk=lease.run_id)


def retrying(engine: Bench, said: str = "HTTP 503") -> Lease:
    """A run that waits for its next try."""
    lease = leased(engine)
    runs.retry_later(lease, hiding.text(said), seconds=3600)
    return lease


def leased(engine: Bench) -> Lease:
    """A run under way."""
    engine.start(steps=1)
    return engine.acquire()


def past(run: UUID, **columns: float) -> Run:
    """Let these columns of a run lie so many seconds back."""
    then = {name: Now() - timedelta(seconds=ago) for name, ago in columns.items()}
    with guards_off():
        Run.objects.filter(pk=run).update(**then)
    return Run.objects.get(pk=run)


def decided(case: Case, engine: Bench) -> None:
    """A person's word on a case; its run may go on."""
    with transaction.atomic():
        _, locked = cases.locked(case.pk)
        ruling = cases.Ruling("try_again", ours("because"))
        cases.decide(locked, ruling, user=engine.approver)
        runs.release_hold(case.run_id, sentence=ours("Goes on."))


def combo(name: str) -> Combo:
    """Another combo."""
    manifest = f'{{"name":"{name}-{uuid4().hex}"}}'.encode()
    with connection.cursor() as cursor:
        cursor.execute("SELECT sha256(%s)", [manifest])
        digest = cursor.fetchone()[0]
    return Combo.objects.create(task_type="steps", digest=digest, manifest=manifest)


def moved(run: Run, to: Combo) -> None:
    """Let what counts of a run be of another combo."""
    sorting.sort()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE execution_problemrun SET combo_id = %s WHERE run_id = %s", [to.pk, run.pk]
        )


def measured(run: Any, **size: Any) -> None:
    """Let what counts of a run have this magnitude."""
    sorting.sort()
    names = ", ".join(f"{name} = %s" for name in size)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE execution_problemrun SET {names} WHERE run_id = %s",
            [*size.values(), run],
        )


def only(engine: Bench) -> Standing:
    """The one problem that stands."""
    sorting.sort()
    (found,) = reading.standings(engine.tenant)
    return found
