"""Many answered at once: each alone, on its own hash; what cannot be counted is left out and named."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from approvals import batches, decisions, requests
from approvals.batches import Answer
from approvals.decisions import Given
from approvals.errors import NotPermittedError, ReasonMissingError
from approvals.models import Approval, ApprovalRequest, Batch, BatchEntry, Decision
from approvals.models.together import MOST_IN_A_BATCH
from checkpoints.models import Event, Run
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant, User
from tests.approvals.questions import (
    TWO,
    WORKER,
    ask,
    asked,
    decide,
    eve,
    make_due,
    make_question,
    make_run,
    tamper,
)
from tests.opening import open_all
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

NONCE = uuid.UUID(int=7)


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def answer(these: Sequence[ApprovalRequest], **changed: Any) -> Answer:
    pairs = tuple((each.pk, each.action_hash) for each in these)
    return replace(Answer(pairs, "approve", "", NONCE), **changed)


def post(given: Answer, user: User, actor: Actor | None = None) -> Batch:
    """The answer of a person who has opened all that they decide about."""
    actor = actor or Actor.person(user)
    for request_id, _shown in given.pairs:
        if ApprovalRequest.objects.filter(pk=request_id).exists():
            open_all(request_id, user)
    return batches.decide_all(given, tenant=make_tenant(), actor=actor, user=user)


def said(batch: Batch) -> dict[uuid.UUID, str]:
    return dict(batch.entries.values_list("request_id", "code"))


def test_each_is_decided_by_itself_and_gets_an_approval_of_its_own(tenant: Tenant) -> None:
    these = [asked() for _ in range(3)]
    batch = post(answer(these), dee(tenant))
    assert said(batch) == {each.pk: "" for each in these}
    assert set(Approval.objects.values_list("request_id", "state")) == {
        (each.pk, "unused") for each in these
    }
    kept = set(Decision.objects.values_list("request_id", "posted_hash"))
    assert kept == {(each.pk, each.action_hash) for each in these}
    assert AuditRow.objects.filter(verb="approve").count() == 3
    assert Event.objects.filter(what="approved").count() == 3
    assert set(Run.objects.values_list("wakes", flat=True)) == {1}


def test_what_changed_since_is_left_out_and_named(tenant: Tenant) -> None:
    question = make_question(make_run(tenant))
    fine, old = asked(), ask(question)
    moved = replace(question.bound, resources={"origin/main": "b" * 40})
    new = ask(replace(question, bound=moved))
    batch = post(answer([old, fine]), dee(tenant))
    assert said(batch) == {old.pk: "moved", fine.pk: ""}
    assert tell(batch, old).startswith(
        "Your answer was not counted, because it was about something"
    )
    new.refresh_from_db()
    assert new.state == "open"
    assert not Decision.objects.filter(request__in=[old, new]).exists()


def test_a_hash_that_is_not_the_pages_decides_nothing(tenant: Tenant) -> None:
    one, two = asked(), asked()
    crossed = ((one.pk, two.action_hash), (two.pk, one.action_hash))
    batch = post(answer([], pairs=crossed), dee(tenant))
    assert set(said(batch).values()) == {"moved"}
    assert not Decision.objects.exists()


def test_what_somebody_decided_meanwhile_is_left_out_with_who_and_when(tenant: Tenant) -> None:
    fine, gone = asked(), asked()
    decide(gone, eve(tenant), "reject", "Not today.")
    batch = post(answer([fine, gone]), dee(tenant))
    gone.refresh_from_db()
    entry = batch.entries.get(request=gone)
    assert (entry.code, entry.told_at) == ("rejected", gone.closed_at)
    assert entry.told == "Eve rejected it before you pressed: “Not today.” Nothing was sent."
    assert said(batch)[fine.pk] == ""


def test_what_is_not_theirs_or_over_or_damaged_is_left_out(tenant: Tenant) -> None:
    mine = ask(make_question(make_run(tenant, started_by=dee(tenant))))
    over, damaged, fine = asked(), asked(), asked()
    withdrawn = asked()
    make_due(over)
    tamper(damaged, diff=b"-harmless\n")
    requests.withdraw(withdrawn.action_id, actor=WORKER, reason="The run was cancelled.")
    batch = post(answer([mine, over, damaged, withdrawn, fine]), dee())
    assert said(batch) == {
        mine.pk: "own_run",
        over.pk: "expired",
        damaged.pk: "DamagedRequestError",
        withdrawn.pk: "withdrawn",
        fine.pk: "",
    }
    assert "The run was cancelled." in tell(batch, withdrawn)
    assert AuditRow.objects.filter(verb="refused_decide").count() == 1
    assert Decision.objects.count() == 1


def test_a_batch_counts_once_towards_each_quorum(tenant: Tenant) -> None:
    these = [asked(requirement=TWO), asked()]
    post(answer(these), dee(tenant))
    assert [each.state for each in reloaded(these)] == ["open", "approved"]
    batch = post(answer(these, nonce=uuid.uuid4()), eve(tenant))
    assert [each.state for each in reloaded(these)] == ["approved", "approved"]
    assert said(batch) == {these[0].pk: "", these[1].pk: "approved"}


def test_the_same_press_twice_is_the_same_batch(tenant: Tenant) -> None:
    these = [asked(), asked()]
    decide(these[1], eve(tenant), "reject")
    first, second = post(answer(these), dee(tenant)), post(answer(these), dee())
    assert first == second
    assert BatchEntry.objects.count() == 2
    assert Decision.objects.count() == 2
    assert set(Run.objects.values_list("wakes", flat=True)) == {1}


def test_other_words_or_another_page_are_another_batch(tenant: Tenant) -> None:
    these = [asked(), asked()]
    given = answer(these, verdict="reject", reason="No.")
    others = [
        replace(given, reason="Never."),
        replace(given, verdict="send_back"),
        replace(given, nonce=uuid.uuid4()),
        replace(given, pairs=given.pairs[:1]),
    ]
    ids = {batches.batch_id(each, tenant=tenant, user=dee(tenant)) for each in [given, *others]}
    assert len(ids) == 5
    assert batches.batch_id(given, tenant=tenant, user=eve(tenant)) not in ids


def test_a_batch_that_was_interrupted_goes_on_where_it_ended(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    these, verb = [asked(), asked(), asked()], decisions.decide

    def dies(request_id: uuid.UUID, given: Given, **who: Any) -> ApprovalRequest:
        if request_id == these[1].pk:
            raise KeyboardInterrupt
        return verb(request_id, given, **who)

    monkeypatch.setattr(decisions, "decide", dies)
    with pytest.raises(KeyboardInterrupt):
        post(answer(these), dee(tenant))
    assert Decision.objects.get().request == these[0]
    monkeypatch.setattr(decisions, "decide", verb)
    assert said(post(answer(these), dee())) == {each.pk: "" for each in these}
    assert Decision.objects.count() == 3


def test_a_machine_decides_no_batch(tenant: Tenant) -> None:
    these = [asked()]
    for actor in (WORKER, Actor.person(eve(tenant))):
        with pytest.raises(NotPermittedError):
            post(answer(these), dee(tenant), actor)
    assert not Batch.objects.exists()


def test_a_no_to_many_needs_a_reason_that_each_run_hears(tenant: Tenant) -> None:
    these = [asked(), asked()]
    with pytest.raises(ReasonMissingError):
        post(answer(these, verdict="send_back", reason=" "), dee(tenant))
    post(answer(these, verdict="send_back", reason="One by one, please."), dee())
    assert {each.closed_because for each in reloaded(these)} == {"One by one, please."}


def test_none_too_many_or_one_twice_is_refused_whole(tenant: Tenant) -> None:
    one = asked()
    many = tuple((uuid.uuid4(), "0" * 64) for _ in range(MOST_IN_A_BATCH + 1))
    for pairs in ((), many, ((one.pk, one.action_hash), (one.pk, "0" * 64))):
        with pytest.raises(ValueError, match="questions"):
            post(answer([], pairs=pairs), dee(tenant))
    assert not Decision.objects.exists()


def test_a_question_of_another_tenant_does_not_exist(tenant: Tenant) -> None:
    there = ask(make_question(make_run(make_tenant("other"))))
    with pytest.raises(ApprovalRequest.DoesNotExist):
        post(answer([asked(), there]), dee(tenant, make_tenant("other")))
    assert not Decision.objects.exists()


def test_the_database_keeps_batches_as_they_were(tenant: Tenant) -> None:
    batch = post(answer([asked()]), dee(tenant))
    for change in (
        lambda: Batch.objects.update(reason="Another."),
        lambda: BatchEntry.objects.update(code="moved"),
        lambda: BatchEntry.objects.filter(batch=batch).delete(),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


def tell(batch: Batch, request: ApprovalRequest) -> str:
    return str(batch.entries.get(request=request).told)


def reloaded(these: Sequence[ApprovalRequest]) -> list[ApprovalRequest]:
    return [ApprovalRequest.objects.get(pk=each.pk) for each in these]
