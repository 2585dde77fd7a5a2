"""One yes, one effect: what was absent, taken back, repeated, ran out or lay about is never sent."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from approvals import batches
from approvals.batches import Answer
from approvals.drift import comparing
from approvals.errors import NotApprovedError
from approvals.models import Approval, ApprovalRequest
from approvals.requests import Question
from checkpoints import runs
from checkpoints.models import Event, Run
from reconciliation import actions, asking
from reconciliation.models import Action
from reconciliation.tools import Call, DryRun
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.approvals import using
from tests.approvals.asking import address, signed_in
from tests.approvals.questions import ask, expire_in, make_question, make_run
from tests.engine import registry
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.runs import due, head, waiting
from tests.opening import open_all
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db
NAME = "fake.void"


class Making(Fake):
    """A fake that makes a thing which was not there: its dry run sees the thing, or its absence."""

    def dry_run(self, call: Call) -> DryRun:
        there = [effect["attempt"] for effect in effects()]
        change = f"-{there}\n+{call.parameters['what']}\n" if there else "+thing\n"
        return DryRun(change.encode(), "text/plain", {"thing": "".join(there)})


def request_of(run: Run) -> ApprovalRequest:
    return ApprovalRequest.objects.get(run=run)


def test_a_yes_to_make_what_was_not_there_is_used_up_by_the_first_effect(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A01: absence is a version that was approved like any other, and it is gone afterwards."""
    tool = Making(NAME, registry.TOOLS.by_name[NAME].capabilities)
    monkeypatch.setitem(registry.TOOLS.by_name, NAME, tool)
    run = waiting(engine, NAME)
    engine.decide(run)
    engine.turn()
    action, asked = Action.objects.get(run=run), request_of(run)
    assert len(effects()) == 1
    with pytest.raises(NotApprovedError) as caught:
        using.use(action.pk, expected_hash=asked.action_hash, attempt_id=uuid4())
    assert caught.value.code == "used"
    now = asking.question(action)
    assert actions.expected_hash(now, asked) != asked.action_hash
    moved = {each.field for each in comparing.since(asked, now.bound, now.requirement.as_json())}
    assert "resources.thing" in moved
    assert len(effects()) == 1


def test_what_was_taken_back_is_not_sent_with_the_rest(engine: Bench) -> None:
    """A03: who presses for all of a page answers what the page listed, less what is void."""
    gone, stays = (engine.start(tool=NAME, what=what) for what in ("gone", "stays"))
    engine.turn()
    engine.turn()
    listed = tuple((each.pk, each.action_hash) for each in map(request_of, (gone, stays)))
    runs.request_cancel(gone.id, why="A commit took it out.", actor=Actor.machine("agent"))
    engine.turn()
    given = Answer(listed, "approve", "", UUID(int=3))
    person = engine.approver
    for request_id, _shown in listed:
        open_all(request_id, person)
    batch = batches.decide_all(given, tenant=engine.tenant, actor=Actor.person(person), user=person)
    assert dict(batch.entries.values_list("request_id", "code")) == {
        request_of(gone).pk: "withdrawn",
        request_of(stays).pk: "",
    }
    engine.turn()
    assert [effect["what"] for effect in effects()] == ["stays-0"]


def bound_parts(request: ApprovalRequest) -> tuple[Any, ...]:
    return request.pk, request.action_hash, request.nonce, request.expires_at, request.asked_at


def test_the_same_question_again_costs_no_second_yes_and_gains_no_time() -> None:
    """A04: a worker that proposes the identical thing finds the answer, with its old end."""
    question: Question = make_question(make_run())
    first = ask(question)
    requests_seen = bound_parts(first)
    for _ in range(3):
        assert bound_parts(ask(question)) == requests_seen
    open_all(first.pk, dee(make_tenant()))
    signed_in(dee()).post(
        address(first, "decision/"),
        {"verdict": "approve", "shown": first.action_hash, "reason": ""},
    )
    again = ask(question)
    assert bound_parts(again) == requests_seen
    assert again.state == "approved"
    assert AuditRow.objects.filter(verb="ask").count() == 1
    assert AuditRow.objects.filter(verb="approve").count() == 1


def test_no_answer_in_time_is_neither_a_no_nor_an_open_question(engine: Bench) -> None:
    """A14: the run, the record, the trail and the page each tell the three apart."""
    late, refused, open_one = (waiting(engine, NAME) for _ in range(3))
    engine.decide(refused, "reject", "Not like this.")
    engine.turn()
    expire_in(request_of(late), seconds=-1)
    due(late)
    engine.turn()
    states = [request_of(run).state for run in (late, refused, open_one)]
    assert states == ["expired", "rejected", "open"]
    assert head(late)["heard"] == [["expired", ""]]
    assert head(refused)["heard"] == [["rejected", "Not like this."]]
    because = dict(Action.objects.values_list("run_id", "because"))
    assert (because[late.pk], because[refused.pk]) == ("expired", "rejected")
    verbs = [
        set(AuditRow.objects.filter(subject=f"request:{request_of(run).pk}").values_list("verb"))
        for run in (late, refused, open_one)
    ]
    assert verbs == [{("ask",), ("expire",)}, {("ask",), ("reject",)}, {("ask",)}]
    client = signed_in(engine.approver)
    pages = [client.get(address(request_of(run))).content.decode() for run in (late, refused)]
    assert "Nobody used it in time, so it is void." in pages[0]
    assert "rejected this" in pages[1]
    assert "rejected this" not in pages[0]
    assert effects() == []


def test_what_is_approved_and_not_sent_never_reads_as_done(engine: Bench) -> None:
    """A15: a yes whose worker died before it sent stays in sight, with its age, and is sent later."""
    run = waiting(engine, NAME)
    engine.decide(run)  # and nobody takes the run from here on
    run.refresh_from_db()
    assert run.status == "queued"
    client = signed_in(engine.approver)
    inbox = client.get(f"/t/{engine.tenant.slug}/inbox/").content.decode()
    assert address(request_of(run)) in inbox
    assert "not sent" in inbox
    page = client.get(address(request_of(run))).content.decode()
    assert "Sent" not in page.replace("Not sent", "")
    assert Approval.objects.get().state == "unused"
    assert not Event.objects.filter(run=run, what="effect settled").exists()
    engine.turn()
    assert len(effects()) == 1
