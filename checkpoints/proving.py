"""When a decided case is proven: its run has committed past the trouble. Else it is open again.

Told from what is committed, not from the step in hand: a process may die between a commit and what
follows of it. *Past the trouble* is a step of the node that could not go on, committed since the
case stood; once a person has brought the run elsewhere (back, or to a state by hand), any step of
a node after that. The engine's own steps have names in parentheses, and prove nothing but that an
old state was migrated.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from canonical.redaction import ours
from checkpoints import cases, holding, states
from checkpoints.cases import Trouble
from checkpoints.errors import UnknownTaskTypeError
from checkpoints.models import Case, Checkpoint, Run
from checkpoints.registry import graph_of
from tenants import clock
from tenants.actors import Actor
from tenants.clock import ClockTimestamp
from tenants.keys import hiding

MIGRATED: Final = "(migrated)"
# Steps the engine makes by itself; any other in parentheses is a person's.
BY_ITSELF: Final = (MIGRATED, "(read again)")

# The clock of a decided case runs while its run should be moving. It stands while the run waits as
# designed (for an approval, a look-up, a window, a door, a stop) and while another case holds it.
SHOULD_MOVE: Final = Q(run__status__in=[states.QUEUED, states.RUNNING]) | Q(
    run__status=states.WAITING, run__reason=states.FOR_RETRY
)
UNPROVEN: Final = Q(decided_at__isnull=False, closed_at=None)

A_NODES_STEP: Final = ~Q(node__startswith="(")
BY_A_PERSON: Final = Q(node__startswith="(") & ~Q(node__in=BY_ITSELF)
# Relies on the checkpoints' primary key (run_id, seq).
_SINCE: Final = Checkpoint.objects.filter(run_id=OuterRef("run_id"), seq__gt=OuterRef("stood_at"))
_AFTER: Final = Checkpoint.objects.filter(run_id=OuterRef("run_id"), seq__gt=OuterRef("seq"))
PAST: Final = (
    Q(Exists(_SINCE.filter(node=OuterRef("node"))))
    | Q(kind=states.UNMIGRATABLE) & Q(Exists(_SINCE.filter(node=MIGRATED)))
    | Q(Exists(_SINCE.filter(BY_A_PERSON).filter(Exists(_AFTER.filter(A_NODES_STEP)))))
)


def close_past(run_id: UUID) -> bool:
    """Close the decided cases that the run has committed past; True when none is left to prove.

    Asked after each commit of a turn that owes a proof, until there is none.
    """
    unproven = Case.objects.filter(UNPROVEN, run_id=run_id)
    owed = unproven.count()
    if owed == 0:
        return True
    past = unproven.filter(PAST).values_list("pk", flat=True)
    because = ours("the run committed past the trouble")
    return cases.close(unproven.filter(pk__in=list(past)), because=because) == owed


def was_brought_elsewhere(case: Case) -> bool:
    """Whether a step that a person decided on was committed since the case stood: it is done once."""
    since = Checkpoint.objects.filter(run_id=case.run_id, seq__gt=case.stood_at)
    return since.filter(BY_A_PERSON).exists()


def allowance(run: Run) -> timedelta:
    """How long a run that should be moving may take to commit a step of its next node."""
    seconds = settings.PRACTICE["timeout_seconds"]
    try:
        graph = graph_of(run.task_type)
    except UnknownTaskTypeError:
        return _beside(seconds)
    own = graph.nodes[run.next_node].deadline_seconds if run.next_node in graph.nodes else None
    return _beside(own or graph.manifest.timeout_seconds or seconds)


def watch(limit: int, *, actor: Actor) -> int:
    """Keep the clocks of decided cases, close what is past, open again what was not proven in time.

    Returns how many cases moved. A run whose row somebody has locked is looked at in the next round.
    """
    over = Q(prove_by__lte=ClockTimestamp())
    moved = Q(run__status__in=states.FINAL) | (
        SHOULD_MOVE & (Q(prove_by=None) | over) | ~SHOULD_MOVE & Q(prove_by__isnull=False)
    )
    found = (
        Case.objects.filter(UNPROVEN).filter(moved).order_by(F("prove_by").asc(nulls_first=True))
    )
    return sum(_look_at(pk, actor) for pk in list(found.values_list("pk", flat=True)[:limit]))


def _look_at(case_id: UUID, actor: Actor) -> int:
    run_id = Case.objects.values_list("run_id", flat=True).get(pk=case_id)
    with transaction.atomic():
        run = Run.objects.select_for_update(skip_locked=True).filter(pk=run_id).first()
        case = Case.objects.select_for_update().filter(UNPROVEN, pk=case_id).first()
        if run is None or case is None:
            return 0
        if run.status in states.FINAL:
            because = ours("the run had ended")
            return cases.close(Case.objects.filter(pk=case_id), because=because)
        if close_past(run_id):
            return 1
        return _keep_time(run, case, actor)


def _keep_time(run: Run, case: Case, actor: Actor) -> int:
    mine, now = Case.objects.filter(pk=case.pk), clock.now()
    if not mine.filter(SHOULD_MOVE).exists():
        return mine.update(prove_by=None)
    allowed = allowance(run)
    if case.prove_by is None:
        return mine.update(prove_by=now + allowed)
    if case.prove_by > now:
        return 0
    if run.progressed_at is not None and run.progressed_at + allowed > now:
        return mine.update(prove_by=run.progressed_at + allowed)
    _open_again(run, case, actor)
    return 1


def _open_again(run: Run, case: Case, actor: Actor) -> None:
    """It holds the run again (held ⇔ an open case); whoever works on it writes nothing more."""
    said = ours(
        "It was decided %(at)s, and the run has not committed past the trouble since.",
        at=hiding.text(f"{case.decided_at:%Y-%m-%d %H:%M} UTC"),
    )
    cases.open_again(case, run, actor=actor, why=said)
    holding.hold_now(run, Trouble(case.kind, said), actor=actor)


def _beside(node_seconds: int) -> timedelta:
    return timedelta(minutes=settings.KEDGE_PROOF_MINUTES, seconds=node_seconds)
