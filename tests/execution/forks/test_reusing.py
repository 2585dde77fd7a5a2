"""The keys of a lineage: what happened is taken over, what is open is waited for (rule 5)."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from approvals.models import ApprovalRequest
from canonical import json as canonical
from checkpoints import reading
from checkpoints.graph import Proposal
from checkpoints.models import Case, Event, Reuse, Run
from execution.forks import waking
from reconciliation import proof, verdicts
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tests.checkpoints.records import refused
from tests.engine import registry as agents
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.forks.ways import done, forked, held, held_before_its_effect
from tests.execution.graphs import acting
from tests.execution.runs import due, full, head, waiting
from tests.execution.test_rules import ALLOW, say


def test_what_happened_is_taken_over_and_the_record_says_so(engine: Bench) -> None:
    source = done(engine)
    run = forked(engine, source, 2)
    engine.turn()
    effect = Action.objects.get()
    reuse = Reuse.objects.get()
    assert (reuse.run_id, reuse.action_id) == (run.id, effect.pk)
    mark = reading.load(full(run), reuse.seq).header["actions"][0]
    assert (mark["id"], mark["is"]) == (str(effect.pk), "reused:happened")
    told = Event.objects.get(run_id=run.id, what="reused").detail
    assert told["action"] == str(effect.pk)
    assert ApprovalRequest.objects.count() == 1
    assert proof.damage(full(run)) == []


def test_other_parameters_under_the_same_key_are_held_with_both_to_be_seen(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch)
    source = engine.start("odd")
    engine.turn()
    engine.decide(source)
    engine.turn()
    acting(monkeypatch, propose=lambda *_: Proposal("fake.void", {"what": "other"}))
    run = forked(engine, source, 0)
    engine.turn()
    case = Case.objects.get(run=run)
    assert (full(run).status, case.kind, case.action_id) == (
        "held",
        "contradicted",
        Action.objects.get().pk,
    )
    assert canonical.loads(case.facts["proposed"]) == {"what": "other"}
    assert len(effects()) == 1


def test_the_same_parameters_for_another_tool_are_another_effect(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch)
    source = engine.start("odd")
    engine.turn()
    engine.decide(source)
    engine.turn()
    acting(monkeypatch, propose=lambda *_: Proposal("fake.keyed", {"what": "a-0"}))
    run = forked(engine, source, 0)
    engine.turn()
    assert Case.objects.get(run=run).kind == "contradicted"


def test_what_is_open_in_another_fork_is_waited_for_and_then_taken_over(engine: Bench) -> None:
    source = cancelled(engine)
    first, second = forked(engine, source, 2), forked(engine, source, 2)
    engine.turn()
    engine.turn()
    asking, waits = in_order(first, second)
    assert (asking.reason, waits.reason) == ("for_approval", "for_same_key")
    assert waking.wake_all() == 0
    engine.decide(asking)
    engine.turn()
    assert full(asking).status == "succeeded"
    assert waking.wake_all() == 1
    engine.turn()
    assert full(waits).status == "succeeded"
    assert head(waits)["receipt"] == head(asking)["receipt"]
    assert len(effects()) == 1
    assert Attempt.objects.count() == 1


def test_what_came_to_nothing_elsewhere_is_asked_anew(engine: Bench) -> None:
    source = cancelled(engine)
    run = forked(engine, source, 2)
    engine.turn()
    action = Action.objects.get(run=run)
    assert action.generation == 2
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    assert len(effects()) == 1


def test_a_held_source_that_goes_on_takes_over_what_its_fork_did(engine: Bench) -> None:
    source = held_before_its_effect(engine)
    run = forked(engine, source, 2)
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    case = Case.objects.get(run=source)
    verdicts.give(case.id, Given("try_again", "mended"), user=engine.approver)
    engine.turn()
    assert full(source).status == "succeeded"
    assert Reuse.objects.get().run_id == source.id
    assert len(effects()) == 1


def test_done_again_on_purpose_is_a_new_generation_that_a_person_approves(engine: Bench) -> None:
    source = done(engine)
    effect = Action.objects.get()
    run = forked(engine, source, 2, again=frozenset({effect.pk}))
    engine.turn()
    action = Action.objects.get(run=run)
    assert (action.generation, len(effects())) == (2, 1)
    asked = ApprovalRequest.objects.get(run=run)
    assert f"Sent before by run {source.id}" in asked.summary[0]
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    assert len(effects()) == 2


def test_no_rule_passes_by_itself_what_the_world_has_already(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = {"rules_schema": 2, "rules": [ALLOW]}
    monkeypatch.setattr(agents, "RULES", book)
    say(engine, "reversible")
    source = engine.start(tool="fake.void", what="a")
    engine.turn()
    assert full(source).status == "succeeded", full(source).sentence
    run = forked(engine, source, 2, again=frozenset({Action.objects.get().pk}))
    engine.turn()
    assert full(run).reason == "for_approval"
    assert len(effects()) == 1


def test_what_was_undone_since_is_not_taken_over(engine: Bench) -> None:
    source = done(engine)
    effect = Action.objects.get()
    undo = Action.objects.get()
    undo.pk, undo.key, undo.ordinal, undo.compensates = uuid4(), b"another", 7, effect
    undo.save(force_insert=True)
    run = forked(engine, source, 2)
    engine.turn()
    asked = ApprovalRequest.objects.get(run=run)
    assert "was undone since" in asked.summary[0]
    assert full(run).reason == "for_approval"


def test_what_a_held_source_has_not_sent_may_be_left_to_its_fork(engine: Bench) -> None:
    source = held(waiting(engine))
    run = forked(engine, source, 2)
    engine.turn()
    assert full(run).reason == "for_same_key"
    other = forked(engine, source, 2, withdraws=True)
    assert Action.objects.get(run=source).because == "withdrawn"
    due(run)
    engine.turn()
    engine.turn()
    assert sorted([full(run).reason, full(other).reason]) == ["for_approval", "for_same_key"]
    assert full(source).status == "held"
    assert effects() == []


def test_going_back_to_a_proposal_proposes_the_same_effect(engine: Bench) -> None:
    """The checkpoint of the proposal counts it already: counted twice it would be sent twice."""
    source = done(engine)
    at = Action.objects.get().proposed_seq
    run = forked(engine, source, at)
    engine.turn()
    assert Action.objects.count() == 1
    assert reading.load_head(full(run)).header["proposals"] == {"act": 1}


@pytest.mark.parametrize("change", [{"action_id": uuid4()}, {"run": "source"}])
def test_the_database_refuses_to_take_over_what_is_not_there(
    engine: Bench, change: dict[str, Any]
) -> None:
    source = done(engine)
    run = forked(engine, source, 2)
    row = {"run": run, "seq": 1, "tenant": engine.tenant, "action_id": Action.objects.get().pk}
    wrong = {name: source if value == "source" else value for name, value in change.items()}
    with refused("cannot take over"):
        Reuse.objects.create(**{**row, **wrong})


def test_the_database_refuses_to_take_over_what_did_not_happen(engine: Bench) -> None:
    source = cancelled(engine)
    run = forked(engine, source, 2)
    with pytest.raises(IntegrityError, match="cannot take over"), transaction.atomic():
        Reuse.objects.create(
            run=run, seq=1, tenant=engine.tenant, action_id=Action.objects.get().pk
        )


def cancelled(engine: Bench) -> Run:
    """A run that was cancelled; what it proposed was never sent."""
    run = waiting(engine)
    engine.decide(run, "reject")
    engine.turn()
    assert Action.objects.get().outcome == "did_not_happen"
    return full(run)


def in_order(first: Run, second: Run) -> tuple[Run, Run]:
    """The one that has asked, then the other."""
    found = sorted([full(first), full(second)], key=lambda run: run.reason != "for_approval")
    return found[0], found[1]
