"""Proposing: what a node wants is checked and frozen before anybody is asked."""

from dataclasses import replace
from typing import Any

import pytest

from approvals.models import ApprovalRequest
from checkpoints.graph import Forbidden, Proposal
from checkpoints.models import Case, Run
from execution.work import STATE_LIMIT_BYTES
from reconciliation import asking
from reconciliation.models import Action
from tests.engine.faketools import ALL, effects
from tests.engine.turns import Bench
from tests.execution.graphs import acting
from tests.execution.runs import full, waiting


def proposes(patch: pytest.MonkeyPatch, proposal: Any) -> None:
    acting(patch, propose=lambda *_: proposal)


def turn(engine: Bench) -> Run:
    run = engine.start("odd")
    engine.turn()
    return full(run)


def test_what_is_frozen_says_what_will_be_sent_where_and_as_whom(engine: Bench) -> None:
    waiting(engine)
    action = Action.objects.get()
    assert (action.node, action.ordinal, action.generation, action.mode) == ("act", 1, 1, "live")
    assert (action.acting_credential, action.magnitude) == ("fake", {"lines": 1})
    assert action.tool_schema_digest == asking.schema_digest(ALL[0])


@pytest.mark.parametrize(
    ("proposal", "says"),
    [
        (None, "it proposed a NoneType, not a Proposal"),
        (Proposal("unknown", {}), "the tool 'unknown' is not one of this task type"),
        (Proposal("fake.void", {}), "'what' is a required property"),
        (Proposal("fake.void", {"what": 7}), "7 is not of type 'string'"),
        (Proposal("fake.void", {"what": "\ud800"}), "at /what"),
        (Proposal("fake.void", {"what": "x", "more": 1}), "'more' was unexpected"),
        (Proposal("fake.void", {"what": "x" * STATE_LIMIT_BYTES}), "over the limit"),
        (Proposal("fake.void", {"what": float("nan")}), "at /what: is NaN"),
        (Proposal("fake.void", []), "is not of type 'object'"),  # type: ignore[arg-type]
    ],
)
def test_a_proposal_that_cannot_be_sent_as_it_is_holds_the_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, proposal: Any, says: str
) -> None:
    proposes(monkeypatch, proposal)
    assert turn(engine).status == "held"
    case = Case.objects.get()
    assert case.kind == "invalid_output"
    assert says in case.sentence
    assert not Action.objects.exists()


@pytest.mark.parametrize(
    ("forbidden", "status"),
    [
        (Forbidden(tool="fake.void"), "failed"),
        (Forbidden(target_prefix="world/"), "failed"),
        (Forbidden(magnitude_over=("lines", 0)), "failed"),
        (
            Forbidden(tool="fake.void", target_prefix="world/", magnitude_over=("lines", 0)),
            "failed",
        ),
        (Forbidden(tool="fake.keyed"), "waiting"),
        (Forbidden(target_prefix="elsewhere/"), "waiting"),
        (Forbidden(magnitude_over=("lines", 1)), "waiting"),
        (Forbidden(tool="fake.void", target_prefix="elsewhere/"), "waiting"),
    ],
)
def test_what_the_manifest_forbids_is_never_proposed(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, forbidden: Forbidden, status: str
) -> None:
    made = acting(monkeypatch)
    made.manifest = replace(made.manifest, forbidden=(forbidden,))
    run = turn(engine)
    assert run.status == status
    if status == "failed":
        assert run.stop_reason == "forbidden_effect"
        assert "which its manifest forbids; nothing was sent." in run.sentence
        assert not Action.objects.exists()
        assert not ApprovalRequest.objects.exists()


def test_a_tool_outside_the_manifest_is_not_for_this_task(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = acting(monkeypatch)
    made.manifest = replace(made.manifest, tools=("fake.keyed",))
    assert turn(engine).status == "held"
    assert "is not one of this task type" in Case.objects.get().sentence


def test_rule_5_the_next_proposal_of_a_node_is_another_effect(engine: Bench) -> None:
    run = waiting(engine)
    engine.decide(run, "send_back", "say it differently")
    engine.turn()
    first, second = Action.objects.order_by("proposed_at")
    assert (first.ordinal, second.ordinal) == (1, 2)
    assert bytes(first.key) != bytes(second.key)
    assert bytes(second.parameters) == b'{"what":"a-1"}'
    assert effects() == []
