"""Each kind of case opened by a real cause: something happens to a run, and the engine notices."""

import copy
from collections.abc import Callable

import pytest
from django.conf import settings

from approvals.models import ApprovalRequest
from checkpoints.models import Case, Run
from reconciliation import journal, ledger, verdicts
from reconciliation.behind import comparing
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tests.checkpoints import tampering
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.runs import due, full, waiting
from tests.reconciliation.deskwork import guards_off, unknown_mail
from tests.reconciliation.ready import HAPPENED, ready

Cause = Callable[[Bench, pytest.MonkeyPatch], Case]


def open_case(run: Run) -> Case:
    """The undecided case of a run. There must be one."""
    return Case.objects.get(run=run, decided_at=None, closed_at=None)


def outcome_unknown(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """It was sent, no answer came, and the tool cannot be asked."""
    return unknown_mail(engine)


def unmigratable(engine: Bench, patch: pytest.MonkeyPatch) -> Case:
    """The code that goes on has no such node any more."""
    run = waiting(engine)
    engine.decide(run)
    graph = copy.copy(registry.GRAPHS["steps"])
    graph.nodes = {name: node for name, node in graph.nodes.items() if name != "act"}
    with patch.context() as gone:
        gone.setitem(registry.GRAPHS, "steps", graph)
        engine.turn()
    return open_case(run)


def damaged_checkpoint(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """A byte of the newest state is not what was committed."""
    run = waiting(engine)
    engine.decide(run)
    tampering.truncate_the_state(full(run), full(run).head)
    engine.turn()
    return open_case(run)


def missing_blob(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """A large value that the state names is gone."""
    run = waiting(engine)
    engine.decide(run)
    tampering.delete_the_blob(full(run), full(run).head)
    engine.turn()
    return open_case(run)


def world_changed(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """It cannot be seen any more what the effect would change."""
    run = engine.start(tool="fake.void", what="a")
    unseen = engine.fault("unseen")
    engine.turn()
    Run.objects.filter(pk=run.pk).update(node_failures=8)
    due(run)
    engine.turn()
    unseen.unlink()
    return open_case(run)


def credential_invalid(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """The tool's credential does not work."""
    run = engine.start(tool="fake.void", what="a")
    invalid = engine.fault("login")
    engine.turn()
    invalid.unlink()
    return open_case(run)


def crash_loop(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """Its workers died, one after the other."""
    run = engine.start(tool="fake.void", what="a")
    Run.objects.filter(pk=run.pk).update(attempts=settings.KEDGE_MOST_ATTEMPTS)
    engine.turn()
    return open_case(run)


def invalid_output(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """A node proposes a tool that its task type does not have."""
    run = engine.start(tool="no.such.tool", what="a")
    engine.turn()
    return open_case(run)


def duplicate_effect(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """The tool is asked, and has the effect twice."""
    run = waiting(engine, "fake.look_up")
    faults = [engine.fault("drop_answer"), engine.fault("twice")]
    engine.decide(run)
    engine.turn()
    for fault in faults:
        fault.unlink()
    return open_case(run)


def contradicted(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """A person wrote it off, and then the answer arrived."""
    case = unknown_mail(engine)
    verdicts.give(case.pk, Given("write_off", "Nobody knows."), user=engine.starter)
    attempt = Attempt.objects.select_related("action").get(action__run=case.run_id)
    ledger.record_answer(attempt, HAPPENED, fence=attempt.fence)
    return open_case(case.run)


def record_behind(engine: Bench, _patch: pytest.MonkeyPatch) -> Case:
    """The database was restored: the journal knows of an attempt that it lacks."""
    it = ready(engine, "fake.nothing")
    journal.write(it.action, it.dispatch())
    run = it.run
    with guards_off():
        Attempt.objects.all().delete()
        Action.objects.update(stands="proposed", outcome="")
        ApprovalRequest.objects.update(state="approved")
        Run.objects.filter(pk=run.pk).update(
            effect_in_flight=None,
            status="queued",
            reason="interrupted",
            holder=None,
            lease_until=None,
        )
    comparing.compare()
    return open_case(run)


CAUSES: dict[str, Cause] = {
    cause.__name__: cause
    for cause in (
        outcome_unknown, unmigratable, damaged_checkpoint, missing_blob, world_changed,
        credential_invalid, crash_loop, invalid_output, duplicate_effect, contradicted,
        record_behind,
    )
}  # fmt: skip
