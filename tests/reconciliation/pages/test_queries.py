"""What pages read of the ledger and the inbox: one tenant, bounded, in order."""

import pytest

from checkpoints.models import Case
from reconciliation.models import Action
from reconciliation.pages import queries
from tests.approvals.asking import asked_about, git_diff
from tests.engine.turns import Bench
from tests.journeys.places import waiting_run
from tests.people import make_tenant
from tests.reconciliation.deskwork import held, unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_inbox_merges_both_kinds_in_order_of_time_and_goes_on_after_an_id() -> None:
    acme, other = make_tenant(), make_tenant("other")
    expected = [
        asked_about(git_diff(1)).pk,
        held(acme, "crash_loop").pk,
        asked_about(git_diff(1)).pk,
        held(acme, "unmigratable").pk,
    ]
    held(other, "crash_loop")
    assert [waiting.id for waiting in queries.inbox(acme)] == expected
    first = queries.inbox(acme, limit=2)
    rest = queries.inbox(acme, after=first[-1].id, limit=2)
    assert [waiting.id for waiting in first + rest] == expected
    assert [waiting.kind for waiting in queries.inbox(acme, kind="unmigratable")] == [
        "unmigratable"
    ]
    assert queries.inbox_counts(acme) == {"approval": 2, "crash_loop": 1, "unmigratable": 1}


def test_what_is_decided_or_closed_needs_nobody() -> None:
    acme = make_tenant()
    case = held(acme, "crash_loop")
    Case.objects.filter(pk=case.pk).update(closed_because="gone")
    assert queries.inbox_counts(acme) == {"crash_loop": 1}
    assert queries.not_proven(acme) == []


def test_an_unknown_effect_is_out_in_the_world_and_has_its_case(engine: Bench) -> None:
    case = unknown_mail(engine)
    (out,) = queries.out_in_the_world(engine.tenant)
    assert out.pk == case.action_id
    assert queries.open_case_about(out) == case.pk
    (tried,) = queries.tries_of(out)
    assert (tried.receipts, tried.look_ups) == ([], [])
    assert queries.open_attempt(out.pk) == tried.attempt


def test_an_action_of_another_tenant_does_not_exist_here(engine: Bench) -> None:
    run = waiting_run(engine)
    action = Action.objects.get(run=run)
    assert queries.action_of(engine.tenant, action.pk) == action
    with pytest.raises(Action.DoesNotExist):
        queries.action_of(make_tenant("other"), action.pk)
    (listed,) = queries.actions_of_run(run.pk)
    assert listed == action
