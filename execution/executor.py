"""One worker's turn with a run: load and verify, migrate, re-check, reconcile, advance, release."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from django.conf import settings
from django.db import transaction

from canonical import digests
from canonical.redaction import Fact
from checkpoints import migrators, proving, reading, runs, states, stops, traces
from checkpoints.cases import Trouble
from checkpoints.commits import Lease
from checkpoints.errors import (
    DamagedRecordError,
    MissingBlobError,
    StateRefusedError,
    StoppedError,
    UnmigratableError,
)
from checkpoints.graph import ACTION, END, MODEL
from checkpoints.headers import proposed_for_good
from checkpoints.models import Event, Run, Verdict
from checkpoints.registry import graph_of
from checkpoints.scopes import Under
from checkpoints.timers import SelfStop
from execution import drills, effects, nodes, repinning, shadowing
from execution.context import visible
from execution.edits import committing as edits
from execution.errors import Ending, Finish, Hold, MakeRoom, Suspend, TryLater
from execution.recheck import recheck
from execution.work import WORKER, Work
from reconciliation import ledger
from reconciliation import states as world
from reconciliation.verdicts import GO_ON_FROM
from tenants.keys import hiding, vaults
from tenants.keys.errors import ErasedError, KeyRingError, KeysError

log = logging.getLogger(__name__)

KEY_RING_WAIT_SECONDS = 30.0
OLD_SCHEMA_NODE = "(migrated)"
WENT_BACK_NODE = "(went back)"


def advance(lease: Lease, self_stop: SelfStop, draining: Callable[[], bool]) -> None:
    """Take a leased run as far as it goes, and let go of it in order.

    Raises `LeaseLostError` when another worker owns the run (nothing was written), and database
    errors (nothing is sent again: whoever takes the run over reads back what was committed).
    """
    run = Run.objects.select_related("tenant", "combo").get(id=lease.run_id)
    with vaults.bound(run.tenant_id), traces.port.turn(lease, run):
        _take_turn(lease, run, self_stop, draining)


def release(lease: Lease, run: Run, ending: Ending) -> None:
    """Let go of the run as its turn ended; what is said of it names nothing sensitive."""
    ending.hide(hiding.known())
    said = hiding.text(ending.sentence)
    log.info("run released: %s", ending, extra={"run": str(run.id)})
    if isinstance(ending, Suspend):
        runs.suspend(lease, ending.reason, said, due_at=ending.due_at)
    elif isinstance(ending, TryLater):
        runs.retry_later(lease, said, seconds=ending.seconds, counts=ending.counts)
    elif isinstance(ending, (repinning.Moved, repinning.NotMoved)):
        repinning.let_go(lease, ending)
    elif isinstance(ending, Hold):
        runs.hold(lease, ending.trouble, actor=WORKER)
    elif isinstance(ending, Finish):
        outcome = runs.Outcome(ending.status, ending.stop_reason, said)
        runs.finish(lease, outcome, actor=WORKER)
    else:
        runs.yield_to_others(lease)
    traces.port.ended(run, ending)


def _take_turn(lease: Lease, run: Run, self_stop: SelfStop, draining: Callable[[], bool]) -> None:
    try:
        with _trouble_is_a_case(run):
            _refuse_crash_loop(lease)
            _reconcile(run, lease)
            work = _work(run, lease, self_stop, draining)
            recheck(work)
            _migrate(work)
            while True:
                _step(work)
                lease = work.lease
                drills.strike(run, lease.head)
    except Ending as ending:
        release(lease, run, shadowing.ending(run, ending))


@contextmanager
def _trouble_is_a_case(run: Run) -> Iterator[None]:
    """What cannot be read or kept needs a person, wherever in the turn it is noticed."""
    try:
        yield
    except KeyRingError as error:
        # Nothing is wrong with the run, and whoever mends the ring restarts its workers.
        raise TryLater(str(error), KEY_RING_WAIT_SECONDS, counts=False) from error
    except ErasedError as error:
        raise Hold(_damage(states.MISSING_BLOB, run, error)) from error
    except KeysError as error:
        raise Hold(_damage(states.DAMAGED_CHECKPOINT, run, error)) from error
    except MissingBlobError as error:
        raise Hold(_damage(states.MISSING_BLOB, run, error)) from error
    except DamagedRecordError as error:
        raise Hold(_damage(states.DAMAGED_CHECKPOINT, run, error)) from error
    except StateRefusedError as error:
        facts = _facts(str(error), head=run.head)
        said = hiding.text(f"It cannot go on: {error}.")
        raise Hold(Trouble(states.INVALID_OUTPUT, said, facts)) from error


def _refuse_crash_loop(lease: Lease) -> None:
    if lease.attempts <= settings.KEDGE_MOST_ATTEMPTS:
        return
    last = Event.objects.filter(run_id=lease.run_id, what="interrupted").order_by("-id").first()
    why = last.detail.get("why", "") if last else ""
    said = f"{lease.attempts - 1} workers in a row died here without getting further" + (
        f"; the last: {why}" if why else ""
    )
    facts = _facts(why, head=lease.head)
    raise Hold(Trouble(states.CRASH_LOOP, hiding.text(f"{said}."), facts))


def _reconcile(run: Run, lease: Lease) -> None:
    """What was sent and not answered comes first, also for a run that cannot be read any more."""
    action = ledger.open_action(run.id)
    if run.cancel_requested_at is not None:
        effects.cancel(run, action, fence=lease.fence)
        said = f"Cancelled by {run.cancel_requested_by}."
        raise Finish(states.CANCELLED, states.CANCELLED_BY_PERSON, said)
    if action is not None and action.stands == world.DISPATCHED:
        effects.reconcile(action, fence=lease.fence)


def _work(run: Run, lease: Lease, self_stop: SelfStop, draining: Callable[[], bool]) -> Work:
    newest = _newest_verdict(run)
    graph, edit = graph_of(run.task_type), edits.wanted(newest)
    back = edit.edit.parent_seq if edit is not None else _wanted_back(newest)
    loaded = reading.load_head(run) if back is None else reading.load(run, back)
    if loaded.seq == 0:
        # The row says where the run stands, and no header vouches for that yet.
        loaded = replace(loaded, next_node=graph.start)
    work = Work(lease, run, graph, loaded, self_stop, draining)
    if edit is not None:
        # The old state is not opened: what an edit takes out of it may be what cannot be.
        edits.commit(work, edit)
    else:
        work.loaded = work.opened(loaded)
    if edit is None and back is not None:
        _commit_way_back(work)
    repinning.at_boundary(work)
    _migrate(work)
    return work


def _step(work: Work) -> None:
    if work.called_away:
        work.run = Run.objects.select_related("tenant", "combo").get(id=work.run.id)
        _reconcile(work.run, work.lease)
        repinning.at_boundary(work)
    if work.at_end:
        raise _end(work)
    if work.draining():
        raise MakeRoom
    if work.node.kind == ACTION:
        with traces.port.node(work.node):
            effects.run_action(work)
    else:
        if work.node.kind == MODEL:
            _wait_while_stopped(work.run)
        nodes.run_node(work)


def _wait_while_stopped(run: Run) -> None:
    """While effects are stopped no model is asked: its question leaves the house and costs."""
    try:
        with transaction.atomic():
            stops.refuse_if_stopped(
                "effects", Under(run.tenant_id, run.task_type, run.combo_id, ())
            )
    except StoppedError as stop:
        raise Suspend(states.FOR_STOP, str(stop), None) from stop


def _end(work: Work) -> Ending:
    stop = str(work.loaded.header.get("stop", ""))
    if stop:
        return Finish(states.FAILED, stop, _stopped_sentence(work, stop))
    manifest = work.graph.manifest
    try:
        succeeded = manifest.succeeded(visible(work.loaded.state))
    except Exception as error:  # an author's check: one that raises is not passed
        log.warning("success condition raised: %s", error, extra={"run": str(work.run.id)})
        succeeded = False
    if succeeded is True:
        return Finish(states.SUCCEEDED, states.DONE, "Done.")
    said = f"The run came to its end, but this is not true: {manifest.succeeded_says}."
    return Hold(Trouble(states.INVALID_OUTPUT, hiding.text(said), _facts("success condition")))


def _stopped_sentence(work: Work, stop: str) -> str:
    stand = [action.describe for action in ledger.effects_that_stand(work.run.id)]
    stands = f" These effects stand: {'; '.join(stand)}." if stand else " No effect stands."
    return f"Ended because a proposal was {stop.replace('_', ' ')}.{stands}"


def _migrate(work: Work) -> None:
    """Bring an old state to the schema this code reads, in a checkpoint of its own."""
    graph, loaded = work.graph, work.loaded
    if loaded.next_node != END and loaded.next_node not in graph.nodes:
        said = f"this code has no node {loaded.next_node!r}"
        raise Hold(_unmigratable(work, said))
    old = int(loaded.header.get("schema", graph.state_schema))
    if old == graph.state_schema:
        return
    try:
        state = migrators.migrate(graph, visible(loaded.state), old, graph.state_schema)
        context = work.context()
        context.node = OLD_SCHEMA_NODE
        step = work.step(context, state, loaded.next_node)
    except (UnmigratableError, ValueError) as error:
        raise Hold(_unmigratable(work, str(error))) from error
    work.commit(replace(step, stop=str(loaded.header.get("stop", ""))))


def _newest_verdict(run: Run) -> Verdict | None:
    """What people decided last, until the run committed past the trouble.

    Once it went back, or has the state written by hand, that is done, and not yet proven.
    """
    given = Verdict.objects.filter(case__run=run, case__closed_at=None).select_related("case")
    newest = given.order_by("-given_at").first()
    return None if newest is None or proving.was_brought_elsewhere(newest.case) else newest


def _wanted_back(newest: Verdict | None) -> int | None:
    """The checkpoint a person decided to go on from, until that is committed."""
    if newest is None or newest.verdict != GO_ON_FROM:
        return None
    return int(newest.detail["seq"])


def _commit_way_back(work: Work) -> None:
    """Go on from an earlier checkpoint, in a new one. What was proposed since is left behind."""
    action = ledger.open_action(work.run.id)
    if action is not None:
        ledger.give_up_proposal(action, reason="The run went back to before this.")
    context, loaded = work.context(), work.loaded
    context.node = WENT_BACK_NODE
    step = work.step(context, visible(loaded.state), loaded.next_node)
    # It may be of an older schema than this code writes; it is migrated next.
    schema = int(loaded.header.get("schema", work.graph.state_schema))
    # What that checkpoint itself proposed is proposed again: the same effect, the same ordinal.
    before = replace(loaded.ancestry(work.run), proposals=proposed_for_good(loaded.header))
    work.commit_after(before, replace(step, schema=schema, stop=str(loaded.header.get("stop", ""))))


def _damage(kind: str, run: Run, error: Exception) -> Trouble:
    said = hiding.text(f"What was read back is not what was committed: {error}.")
    return Trouble(kind, said, _facts(str(error), head=run.head))


def _unmigratable(work: Work, said: str) -> Trouble:
    facts = _facts(
        said,
        schema=int(work.loaded.header.get("schema", 0)),
        reads=work.graph.state_schema,
        combo=hiding.text(digests.sha256_hex(bytes(work.run.combo.manifest))),
    )
    sentence = hiding.text(f"The old state cannot be read: {said}.")
    return Trouble(states.UNMIGRATABLE, sentence, facts)


def _facts(error: str, **more: Fact) -> dict[str, Fact]:
    return {"error": hiding.text(error).first(500), **more}
