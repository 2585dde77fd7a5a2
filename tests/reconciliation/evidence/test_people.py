"""What people did at a case, with plans and with forks stands in evidence, and is held against itself."""

import json
from typing import Any
from uuid import uuid4

import pytest

from approvals.models import HandOver
from approvals.requests import latest
from canonical.redaction import ours
from checkpoints import claims
from checkpoints.claims import Subject
from checkpoints.desk import notes, pauses
from checkpoints.models import Case
from execution.forks import making
from execution.plans import carrying
from execution.plans.models import Plan
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.trail import heads
from tests.engine.turns import Bench
from tests.people import eve
from tests.reconciliation.deskwork import unknown_mail
from tests.reconciliation.evidence.samples import planned_run, settled_run, signed, verified

pytestmark = pytest.mark.django_db(transaction=True)

Json = Any


def told(about: About, engine: Bench) -> Json:
    """The evidence, which holds."""
    content = export(about, actor=Actor.person(engine.approver), whole=True)
    assert verify(content, heads.believed()).faults == []
    return json.loads(content)


def test_claims_notes_and_waits_of_a_case_are_in_it(engine: Bench) -> None:
    case = unknown_mail(engine)
    claims.claim(Subject.of_case(case), user=engine.starter)
    notes.write(case, ours("the customer has it"), user=engine.starter)
    pauses.begin(case, party=ours("the provider"), why=ours("they look"), user=engine.starter)
    claims.release(Subject.of_case(case), user=engine.starter)
    claims.claim(Subject.of_case(case), user=eve(engine.tenant))
    (shown,) = told(About.run(Case.objects.get().run), engine)["cases"]
    first, second = shown["desk"]["claims"]
    assert (first["person"]["name"], first["ended"]) == ("Ada", "released")
    assert (second["person"]["name"], second["ended"]) == ("Eve", "")
    assert shown["desk"]["notes"][0]["text"] == "the customer has it"
    (wait,) = shown["desk"]["outside_waits"]
    assert (wait["for"], wait["why"], wait["ended_at"]) == ("the provider", "they look", None)
    assert shown["facts"] == Case.objects.get().facts


def test_two_claims_at_a_time_are_found(evidence: Json) -> None:
    claimed = evidence["cases"][0]["desk"]["claims"]
    evidence["cases"][0]["desk"]["claims"] = [claimed[0] | {"ended_at": None}, claimed[0]]
    faults = verified(signed(evidence)).faults
    evidence["cases"][0]["desk"]["claims"] = claimed
    assert [fault.member for fault in faults] == ["/cases/0/desk/claims/0"]


def test_a_plan_that_touched_the_run_is_in_it_with_who_ordered_it(engine: Bench) -> None:
    run = planned_run(engine)
    (plan,) = told(About.run(run), engine)["plans"]
    stored = Plan.objects.get()
    assert (plan["number"], plan["digest"]) == (stored.number, stored.digest)
    assert [(each["said"], each["person"]["name"]) for each in plan["orders"]] == [("start", "Ada")]
    assert plan["items"][0]["carried_at"] is None
    carrying.carry_on(stored.pk)
    (plan,) = told(About.run(run), engine)["plans"]
    assert plan["items"][0]["state"] == stored.items.get().state


def test_a_plan_carried_out_before_it_was_started_is_found(evidence: Json) -> None:
    item = evidence["plans"][0]["items"][0]
    early = "2026-01-01T00:00:00.000000+00:00"
    evidence["plans"][0]["items"] = [item | {"carried_at": early}]
    faults = verified(signed(evidence)).faults
    evidence["plans"][0]["items"] = [item]
    assert [fault.member for fault in faults] == ["/plans/0/items"]


def test_a_fork_made_from_the_run_is_in_it(engine: Bench) -> None:
    run = settled_run(engine)
    wanted = making.Wanted(seq=2, reason="once more", token=uuid4())
    made, _ = making.fork(run, wanted, actor=Actor.person(engine.starter))
    (fork,) = told(About.run(run), engine)["forks"]
    assert (fork["run"], fork["seq"], fork["reason"]) == (str(made.pk), 2, "once more")


def test_a_question_that_was_handed_over_says_to_whom(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    asked = latest(Action.objects.get(run=run).pk)
    assert asked is not None
    HandOver.objects.create(
        request=asked, given_by=engine.starter, given_to=engine.approver, note="yours"
    )
    (action,) = told(About.run(run), engine)["actions"]
    (handed,) = action["requests"][0]["handed_over"]
    assert (handed["person"]["name"], handed["to"]["name"]) == ("Ada", "Dee")
    assert handed["note"] == "yours"
