"""What each kind of process does in a trial, with the engine's own verbs."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from approvals import states as permission
from approvals.models import ApprovalRequest, Decision, EditRequest
from checkpoints import revoking, runs, versions
from checkpoints.asked import Request
from checkpoints.models import Case, Run
from checkpoints.registry import combo_of
from checkpoints.repins import Cause
from execution import horse, lapses, repinning, sweeper
from execution.edits import deciding, proposing
from execution.edits.writing import Written
from execution.forks import making
from execution.plans import carrying, computing, drafting, ordering
from execution.plans import states as planning
from execution.plans.models import Plan
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.crash import registry, undone
from tests.crash.databases import Cast
from tests.crash.registry import mend
from tests.opening import read_and_decide

# The steps of the test graph: it thinks twice, then it proposes.
BEFORE_ITS_EFFECT = 2
PLAN_PACE = 6_000  # items in a minute


@dataclass(frozen=True)
class Job:
    """What is to be run: one business key, and what people answer to its questions, in order."""

    cast: Cast
    task_type: str
    business_key: str
    content: Mapping[str, object]
    answers: tuple[str, ...]
    variant: str = ""


def start(job: Job) -> None:
    """Start the run, or find it."""
    combo = combo_of(job.task_type, job.variant)
    content = dict(job.content)
    request = Request(job.task_type, job.business_key, content, channel="crash", pinned_to=combo)
    runs.start(job.cast.tenant, request, actor=Actor.person(job.cast.starter))


def take_turns(holder: uuid.UUID, job: Job | None = None) -> None:
    """A work-horse's life; of the pool that has the code of a run that moves, wherever it is now."""
    if job is not None and job.task_type in (registry.MOVED, registry.RENEWED):
        newest = Run.objects.filter(business_key=job.business_key).order_by("-id")[0]
        if job.task_type == registry.MOVED:
            registry.wear(versions.of(newest.combo).state_schema or registry.NEWER)
        elif newest.forked_from_id is not None:
            registry.renew()
    horse.take_turns(holder)


def move(job: Job) -> None:
    """Somebody orders the run to the older combo."""
    run = Run.objects.get(business_key=job.business_key)
    registry.wear(registry.OLDER)
    older = combo_of(job.task_type)
    cause, actor = Cause.rollback(uuid.uuid5(run.pk, "back")), Actor.person(job.cast.starter)
    repinning.order(run, older, why="it is worse", cause=cause, actor=actor)


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


def allow_undoing(job: Job) -> None:
    """The same person answers the question of the run that undoes its effect."""
    undoing = ApprovalRequest.objects.filter(
        run__in=undone.runs_of(job.business_key), state=permission.OPEN
    )
    read_and_decide(undoing.get(), job.cast.approver, "approve", "as it should be")


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


def revoke(job: Job) -> None:
    """A person takes the run from a worker that is not heard of."""
    run = Run.objects.get(business_key=job.business_key)
    revoking.revoke(run.pk, reason="it hangs", actor=Actor.person(job.cast.starter))


def fork(job: Job) -> None:
    """A person wants the part with the effect once more; asked again, it is the same request.

    The fork is onto the combo whose code is here: another one, where the task was renewed.
    """
    source = Run.objects.get(business_key=job.business_key, forked_from=None)
    if job.task_type == registry.RENEWED:
        registry.renew()
    token = uuid.uuid5(source.pk, "once more")
    wanted = making.Wanted(seq=BEFORE_ITS_EFFECT, reason="once more", token=token)
    making.fork(source, wanted, actor=Actor.person(job.cast.starter))


def plan(job: Job) -> None:
    """A person mends the world and lets the held run try again by a plan: the next step of that.

    Another says yes to it. Once started it is stopped, read once more, and goes on.
    """
    run, cast = Run.objects.get(business_key=job.business_key), job.cast
    made = Plan.objects.filter(items__run=run).exclude(state__in=planning.FINAL).first()
    if made is None:
        mend()
        target = drafting.Target(run.pk)
        draft = drafting.Draft("try_again", "mended", "one run", [target], {}, PLAN_PACE)
        drafting.draft(cast.tenant, draft, user=cast.starter)
        return
    order = ordering.Order(made.digest, made.planned)
    if made.state == planning.READY and made.seconded_by is None:
        ordering.second(made.pk, order, user=cast.colleague)
    elif made.state == planning.READY:
        ordering.start(made.pk, order, user=cast.starter)
        ordering.stop(made.pk, order, user=cast.starter)
    elif made.state == planning.STOPPED:
        ordering.start(made.pk, order, user=cast.starter)


def carry(job: Job) -> None:
    """What the sweeper does for plans."""
    plans = Plan.objects.filter(items__run__business_key=job.business_key)
    for made in plans.filter(state=planning.COMPUTING):
        computing.compute(made.pk)
    for made in plans.filter(state=planning.STARTED):
        carrying.carry_on(made.pk)


def rule(job: Job, verdict: str) -> None:
    """Another person says what became of an effect, having looked."""
    case = Case.objects.get(run__business_key=job.business_key, decided_at=None, closed_at=None)
    given = Given(verdict, reason="I looked", evidence="the outside world itself")
    verdicts.give(case.id, given, user=job.cast.approver)
