"""People quote what they saw: none of their words is kept with a secret of the run in it."""

import uuid
from collections.abc import Callable
from io import StringIO

import pytest
from pytest_django import Settings

from approvals import batches, decisions, states
from approvals.batches import Answer
from approvals.models import ApprovalRequest, Decision, HandOver
from approvals.people import handovers
from checkpoints import runs
from checkpoints.models import Case, Event, Run, Verdict
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tenants.access import grant
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.keys.errors import KeyRingError
from tenants.roles import ROLES
from tests.engine.turns import Bench
from tests.opening import read_and_decide
from tests.people import eve
from tests.secrecy.registry import GIVEN, MAIL, PASSWORD
from tests.secrecy.sinks import leaking, leaks, quoted

pytestmark = pytest.mark.django_db(transaction=True)

ALL = quoted(PASSWORD, MAIL)


def asked(bench: Bench, run: Run) -> ApprovalRequest:
    bench.turn()
    return ApprovalRequest.objects.get(run=run)


def cancelled(bench: Bench, run: Run) -> None:
    runs.request_cancel(run.id, why=hiding.text(ALL), actor=Actor.person(bench.starter))
    assert Event.objects.get(run=run, what="cancel requested").detail["why"].startswith("It was «")


def refused(bench: Bench, run: Run) -> None:
    read_and_decide(asked(bench, run), bench.approver, states.REJECT, ALL)
    bench.turn()
    assert Decision.objects.get().reason.startswith("It was «secret")


def approved_and_withdrawn(bench: Bench, run: Run) -> None:
    request = asked(bench, run)
    read_and_decide(request, bench.approver, states.APPROVE, ALL)
    decisions.withdraw_approval(request.pk, actor=Actor.person(bench.approver), reason=ALL)


def handed_over(bench: Bench, run: Run) -> None:
    request, colleague = asked(bench, run), eve(bench.tenant)
    grant(bench.tenant, colleague, *ROLES["approver"])
    actor = Actor.person(bench.approver)
    handovers.hand_over(request.pk, actor=actor, user=bench.approver, colleague=colleague, note=ALL)
    assert HandOver.objects.get().note.startswith("It was «secret")


def refused_in_a_batch(bench: Bench, run: Run) -> None:
    request = asked(bench, run)
    answer = Answer([(request.pk, request.action_hash)], states.REJECT, ALL, uuid.uuid4())
    actor = Actor.person(bench.approver)
    batches.decide_all(answer, tenant=bench.tenant, actor=actor, user=bench.approver)
    assert Decision.objects.get().reason.startswith("It was «secret")


def ruled(bench: Bench, run: Run) -> None:
    other = bench.start("careless", **GIVEN, then="raise")
    bench.turn()
    bench.turn()
    case = Case.objects.get(run=other)
    verdicts.give(case.pk, Given(verdicts.TRY_AGAIN, ALL, ALL), user=bench.starter)
    assert Verdict.objects.get().evidence.startswith("It was «secret")


@pytest.mark.parametrize(
    "said",
    [cancelled, refused, approved_and_withdrawn, handed_over, refused_in_a_batch, ruled],
    ids=lambda each: each.__name__,
)
def test_a_quoted_secret_is_kept_nowhere(
    careless: Bench, run: Run, log: StringIO, said: Callable[[Bench, Run], None]
) -> None:
    assert leaks(ALL.encode())
    said(careless, run)
    assert leaking() == []
    assert leaks(log.getvalue().encode()) == []


def test_without_the_key_no_words_are_kept(careless: Bench, run: Run, settings: Settings) -> None:
    settings.KEDGE_KEYS = "other:b25seS1mb3ItdGhlLWNoZWNrLTAxMjM0NTY3ODlhYmM="
    with pytest.raises(KeyRingError):
        runs.request_cancel(run.id, why="it is wrong", actor=Actor.person(careless.starter))
    run.refresh_from_db()
    assert run.cancel_requested_at is None
