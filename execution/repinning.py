"""Moving a run to another combo: at once where nothing stands in the way, else by its own worker.

A worker of the run's present code brings the state to the schema that the other combo reads, in a
checkpoint of its own, and lets go of the run as it moves. What was sent is taken in first, under the
combo that proposed it (rule 12); what was only proposed is withdrawn, and proposed anew after.
"""

from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import transaction

from canonical.redaction import Fact, Said, ours
from checkpoints import migrators, repins, runs, states, versions
from checkpoints.boundaries import boundary
from checkpoints.cases import Trouble
from checkpoints.commits import Lease
from checkpoints.errors import StateRefusedError, UnmigratableError
from checkpoints.graph import Json
from checkpoints.headers import PROPOSED, Step, proposed_for_good
from checkpoints.models import Combo, Repin, Run
from checkpoints.proving import MIGRATED
from checkpoints.repins import Cause
from execution import repinstanding, safetargets
from execution.context import visible
from execution.errors import Ending, Hold
from execution.work import WORKER, Work
from reconciliation import ledger
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.keys import hiding

MOST_PER_ROUND: Final = 200
GIVEN_UP: Final = "The run moves to another combo."
SWEEPER: Final = Actor.machine("sweeper")


class Moved(Ending):
    """The run moves to another combo; a worker with that combo's code goes on."""

    def __init__(self) -> None:
        super().__init__("moves to another combo")


class NotMoved(Hold):
    """The run cannot be brought to what the other combo reads, so it stays and needs a person."""


def order(run: Run, to: Combo, *, why: Said, cause: Cause, actor: Actor) -> Repin:
    """Order a run to move, and move it at once where it can: look at `ended` of what comes back.

    Raises `RepinRefusedError`.
    """
    said = hiding.text(hiding.said(why))
    with transaction.atomic():
        repin = repins.order(run, to, why=said, cause=cause, actor=actor)
        try_to_move(run.pk, actor=actor)
    repin.refresh_from_db()
    return repin


def try_to_move(run_id: UUID, *, actor: Actor = SWEEPER) -> Repin | None:
    """Move a run that is ordered to, if nothing stands in the way; the order when it has ended now.

    Nothing happens while a worker is at the run, while an effect of it is out or not taken in, and
    where its state has to be migrated first.
    """
    boundary("repin:before")
    with transaction.atomic():
        ended = _move_if_free(run_id, actor)
    boundary("repin:after")
    return ended


def move_due() -> int:
    """A duty of the sweeper: moves what can be moved; returns how many orders have ended."""
    waiting = Repin.objects.filter(ended="").exclude(run__status=states.RUNNING)
    # In any order: those that have to wait must not keep out the others.
    ids = list(waiting.order_by("?").values_list("run_id", flat=True)[:MOST_PER_ROUND])
    if not ids:
        return 0
    due = [each.run_id for each in repinstanding.of(ids) if not each.is_out]
    return sum(try_to_move(run_id) is not None for run_id in due)


def at_boundary(work: Work) -> None:
    """Under a lease, before the next node: a run that is to move does so now, if it can.

    Raises `Moved`, or `NotMoved` when its state cannot be brought to what the other combo reads.
    """
    work.loaded = replace(work.loaded, header=_as_left(work))
    if work.run.moving_to_id is None or work.at_end:
        return
    repin = repins.open_of(work.run.pk)
    [standing] = repinstanding.of([work.run.pk])
    if repin is None or standing.is_out:
        return
    if not standing.reads_as(versions.of(repin.to_combo).state_schema):
        _bring(work, repin)
    raise Moved


def let_go(lease: Lease, ending: Ending) -> None:
    """Let go of a run that moves, or that cannot: with its lease ends the order, or neither does."""
    boundary("repin:before")
    with transaction.atomic():
        Run.objects.select_for_update().values_list("id").get(pk=lease.run_id)
        repin = repins.open_of(lease.run_id)
        if isinstance(ending, NotMoved) and repin is not None:
            runs.hold(lease, ending.trouble, actor=WORKER)
            repins.refuse(repin, why=hiding.text(str(ending.trouble.sentence)), actor=WORKER)
        else:
            runs.yield_to_others(lease)
            _move_if_free(lease.run_id, WORKER)
    boundary("repin:after")


def _move_if_free(run_id: UUID, actor: Actor) -> Repin | None:
    # The lock first: what is judged is read after it.
    Run.objects.select_for_update().values_list("id").get(pk=run_id)
    repin = repins.open_of(run_id)
    if repin is None:
        return None
    [standing] = repinstanding.of([run_id])
    if standing.has_ended:
        return repins.withdraw(repin, why=ours("The run had ended."), actor=actor)
    reads = versions.of(repin.to_combo).state_schema
    if standing.is_leased or standing.is_out or not standing.reads_as(reads):
        return None
    give_up(standing.proposal)
    return repins.move(repin, actor=actor)


def give_up(action_id: UUID | None) -> None:
    """Withdraw what a run has proposed and not sent, its question and its approval with it."""
    if action_id is not None:
        ledger.give_up_proposal(Action.objects.get(pk=action_id), reason=ours(GIVEN_UP))


def _as_left(work: Work) -> dict[str, Json]:
    """The header of the head, without a proposal that a move gave up: it is the same effect, with
    the same ordinal, when it is proposed again. So a fork of this run is not to do it beside it."""
    run, header = work.run, work.loaded.header
    if run.moving_to_id is None and run.first_combo_id is None:
        return header
    marks = header.get("actions", ())
    if any(mark.get("is") == PROPOSED for mark in marks) and not ledger.open_action(run.pk):
        return {**header, "actions": [], "proposals": proposed_for_good(header)}
    return header


def _bring(work: Work, repin: Repin) -> None:
    """Commit the state in the schema that the other combo reads. What it was stays as it is."""
    try:
        step = _migrated(work, repin)
    except (UnmigratableError, StateRefusedError, ValueError) as error:
        raise NotMoved(_trouble(work, repin, str(error))) from error
    action = ledger.open_action(work.run.pk)
    if action is not None:
        give_up(action.pk)
        work.loaded = replace(work.loaded, header=_as_left(work))
    work.commit(step)


def _migrated(work: Work, repin: Repin) -> Step:
    said, old = versions.of(repin.to_combo), int(work.loaded.header["schema"])
    new = said.state_schema or 0
    work.graph = work.graph.at_schema(new, said.state_schemas.get(str(new)))
    state = migrators.migrate(work.graph, visible(work.loaded.state), old, new)
    context = work.context()
    context.node = MIGRATED
    step = work.step(context, state, work.loaded.next_node)
    return replace(step, stop=str(work.loaded.header.get("stop", "")))


def _trouble(work: Work, repin: Repin, why: str) -> Trouble:
    schema = int(work.loaded.header["schema"])
    safe = safetargets.named(work.run, schema, but=repin.to_combo)
    said = (
        f"It cannot move to combo {repin.to_combo}: {why}. It stands at checkpoint "
        f"{work.loaded.seq}, before {work.loaded.next_node}, in state schema {schema}. {safe}"
    )
    facts: dict[str, Fact] = {
        "error": hiding.text(why).first(500),
        "schema": schema,
        "reads": versions.of(repin.to_combo).state_schema,
        "combo": hiding.text(repin.to_combo.hex),
    }
    return Trouble(states.UNMIGRATABLE, hiding.text(said), facts)
