"""What each kind of process does in a trial, with the engine's own verbs."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from approvals import states as permission
from approvals.models import ApprovalRequest, Decision, EditRequest
from checkpoints import runs
from checkpoints.models import Case, Run
from execution import horse, lapses, sweeper
from execution.edits import deciding, proposing
from execution.edits.writing import Written
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.crash.databases import Cast
from tests.opening import read_and_decide


@dataclass(frozen=True)
class Job:
    """What is to be run: one business key, and what people answer to its questions, in order."""

    cast: Cast
    task_type: str
    business_key: str
    content: Mapping[str, object]
    answers: tuple[str, ...]


def start(job: Job) -> None:
    """Start the run, or find it."""
    request = runs.Request(job.task_type, job.business_key, dict(job.content), channel="crash")
    runs.start(job.cast.tenant, request, actor=Actor.person(job.cast.starter))


def take_turns(holder: uuid.UUID) -> None:
    """A work-horse's life."""
    horse.take_turns(holder)


def give_away(holder: uuid.UUID) -> None:
    """What a worker does when its horse died."""
    lapses.of_holder(holder, why="its worker was killed by signal 9", actor=Actor.machine("worker"))


def sweep() -> None:
    """One round of the sweeper."""
    sweeper.sweep()


def answer(job: Job) -> None:
    """Another person than the starter answers the open question of the run."""
    request = ApprovalRequest.objects.filter(
        run__business_key=job.business_key, state=permission.OPEN
    ).get()
    given = Decision.objects.filter(request__run=request.run_id).count()
    verdict = job.answers[min(given, len(job.answers) - 1)]
    reason = "as it should be" if verdict == "approve" else "once more"
    read_and_decide(request, job.cast.approver, verdict, reason)


def cancel(job: Job) -> None:
    """Somebody has seen enough."""
    run = Run.objects.get(business_key=job.business_key)
    runs.request_cancel(run.id, why="it died", actor=Actor.person(job.cast.starter))


def edit(job: Job) -> None:
    """One person writes the state of the held run, another allows it."""
    case = Case.objects.get(run__business_key=job.business_key, decided_at=None, closed_at=None)
    asked = EditRequest.objects.filter(case=case, state=permission.OPEN).first()
    if asked is None:
        text = Written(case.run.head, '{"amount": 7}', "it must be seven")
        author = job.cast.starter
        asked = proposing.propose(case.id, text, actor=Actor.person(author), user=author)
    second = job.cast.approver
    given = deciding.Given(permission.APPROVE, "seven it is", asked.edit_hash)
    deciding.decide(asked.pk, given, actor=Actor.person(second), user=second)


def rule(job: Job, verdict: str) -> None:
    """Another person says what became of an effect, having looked."""
    case = Case.objects.get(run__business_key=job.business_key, decided_at=None, closed_at=None)
    given = Given(verdict, reason="I looked", evidence="the outside world itself")
    verdicts.give(case.id, given, user=job.cast.approver)
