"""What was out when a stop came, and what became of it: *stopped* is said when all is known."""

import pytest
from pytest_django import DjangoAssertNumQueries

from checkpoints import runs, stops
from checkpoints.models import CallOut, Run, Stop
from checkpoints.registry import combo_of
from checkpoints.scopes import Scope
from reconciliation import ledger, states, stopping
from reconciliation.models import Attempt
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.approvals.questions import expire_in
from tests.checkpoints.lifts import lifted
from tests.checkpoints.records import refused
from tests.engine.turns import Bench
from tests.people import make_tenant
from tests.reconciliation.ready import REFUSED, Ready, ready

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor.machine("Ada")


def stop(scope: Scope | None = None) -> Stop:
    return stopping.stop(scope, "effects", why="incident", actor=ADA)


def settle(it: Ready, how: str) -> None:
    """Let become of the open attempt what `how` says."""
    attempt = Attempt.objects.get(action=it.action, outcome="")
    if how == "happened":
        it.answer(attempt)
    elif how == "refused":
        it.answer(attempt, REFUSED)
    elif how == "absent":
        it.end(attempt)
    else:
        outcome = states.WRITTEN_OFF if how == "written_off" else states.DID_NOT_HAPPEN
        ledger.settle(it.run.id, it.action.id, outcome, because=states.BY_PERSON)


@pytest.mark.parametrize(
    ("how", "became"),
    [
        ("happened", "happened"),
        ("refused", "did_not"),
        ("absent", "did_not"),
        ("did not", "did_not"),
        ("written_off", "written_off"),
    ],
)
def test_a_stop_is_stopped_when_what_became_of_every_call_is_known(
    engine: Bench, how: str, became: str
) -> None:
    it = ready(engine)
    it.dispatch()
    made = stop()
    assert (stopping.calls(made).still_out, made.reconciled_at) == (1, None)
    assert stopping.mark_all_reconciled() == 0
    settle(it, how)
    calls = stopping.calls(made)
    assert (calls.still_out, calls.total, calls.became[became]) == (0, 1, 1)
    assert stopping.mark_all_reconciled() == 1
    made.refresh_from_db()
    assert made.reconciled_at is not None
    assert AuditRow.objects.get(verb="reconciled stop").actor_name == "sweeper"
    assert stopping.mark_all_reconciled() == 0


def test_where_nothing_is_out_a_stop_is_stopped_at_once(engine: Bench) -> None:
    ready(engine)
    made = stop()
    assert made.reconciled_at is not None
    assert stopping.calls(made).total == 0


def test_what_is_taken_for_absent_and_doubted_again_is_out_again(engine: Bench) -> None:
    it = ready(engine)
    attempt = it.dispatch()
    made = stop()
    it.end(attempt)
    stopping.mark_all_reconciled()
    ledger.reopen_attempt(Attempt.objects.select_related("action").get())
    assert stopping.calls(made).still_out == 1
    assert stopping.mark_all_reconciled() == 1
    made.refresh_from_db()
    assert made.reconciled_at is None
    assert AuditRow.objects.filter(verb="reopened stop").count() == 1


def test_what_is_only_to_be_sent_again_is_still_out(engine: Bench) -> None:
    """Under its key it would be found out by sending it again, which is what the stop forbids."""
    it = ready(engine, "fake.keyed")
    it.end(it.dispatch(), states.ATTEMPT_RESENT)
    made = stop()
    assert stopping.calls(made).still_out == 1
    assert made.reconciled_at is None
    runs.suspend(it.lease, "for_stop", "Stopped.", due_at=None)
    assert stopping.calls(made).still_out == 1


@pytest.mark.parametrize("thing", ["tenant", "task type", "combo", "tool", "everything"])
def test_a_stop_counts_what_is_in_its_scope(engine: Bench, thing: str) -> None:
    ready(engine).dispatch()
    scopes = {
        "tenant": (Scope(engine.tenant), Scope(make_tenant("other"))),
        "task type": (Scope(task_type="steps"), Scope(task_type="strict")),
        "combo": (Scope(combo=combo_of("steps")), Scope(combo=combo_of("strict"))),
        "tool": (Scope(tool="fake.void"), Scope(tool="fake.keyed")),
        "everything": (Scope(), Scope(make_tenant("other"))),
    }
    this, that = scopes[thing]
    assert stopping.calls(stop(that)).total == 0
    assert stopping.calls(stop(this)).total == 1


def test_an_approval_that_ran_out_holds_nothing_back(engine: Bench) -> None:
    it = ready(engine)
    assert stopping.unused_approvals(Scope(engine.tenant)) == 1
    assert stopping.unused_approvals(Scope(make_tenant("other"))) == 0
    expire_in(it.request, seconds=-1)
    assert stopping.unused_approvals(Scope()) == 0


def test_each_tenant_is_shown_its_own_calls(engine: Bench) -> None:
    ready(engine).dispatch()
    made = stop()
    assert stopping.calls(made, engine.tenant).total == 1
    assert stopping.calls(made, make_tenant("other")).total == 0


def test_a_call_of_later_is_not_among_them(engine: Bench) -> None:
    made = stop(Scope(tool="fake.keyed"))
    ready(engine).dispatch()
    assert stopping.calls(made).total == 0


def test_a_stop_of_new_runs_has_no_calls_out(engine: Bench) -> None:
    ready(engine).dispatch()
    made = stopping.stop(None, "new_runs", why="x", actor=ADA)
    assert made.reconciled_at is not None
    assert stopping.calls(made).total == CallOut.objects.count() == 0


def test_a_lifted_stop_is_not_marked_any_more(engine: Bench) -> None:
    it = ready(engine)
    it.dispatch()
    made = lifted(stop())
    settle(it, "happened")
    assert stopping.mark_all_reconciled() == 0
    made.refresh_from_db()
    assert made.reconciled_at is None


def test_a_lock_set_without_a_list_is_stopping_until_somebody_looked(engine: Bench) -> None:
    it = ready(engine)
    it.dispatch()
    made = stops.stop(None, "effects", why="x", actor=ADA)
    assert (made.reconciled_at, stopping.calls(made).still_out) == (None, 1)


def test_the_list_of_what_was_out_is_never_changed(engine: Bench) -> None:
    ready(engine).dispatch()
    stop()
    with refused("only ever added"):
        CallOut.objects.all().delete()
    with refused("only ever added"):
        CallOut.objects.update(tenant=make_tenant("other"))


def test_marking_costs_the_same_however_many_were_out(
    engine: Bench, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(3):
        ready(engine).dispatch()
    stop()
    assert Run.objects.exclude(effect_in_flight=None).count() == 3
    with django_assert_max_num_queries(6):
        stopping.mark_all_reconciled()
