"""Going back in the same run, to the very checkpoint that proposed an effect (rule 12)."""

import pytest

from checkpoints.graph import ACTION, COMPUTE, RESULTS, Node, To
from checkpoints.models import Case
from execution import forecasts
from execution.forecasts import Transition
from reconciliation import verdicts
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, propose_to_the_input, raises, returns
from tests.execution.runs import full


def test_a_proposal_gone_back_to_is_the_same_effect_as_the_forecast_said(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graph()
    made.add(
        Node(
            "first",
            ACTION,
            ("after",),
            propose=propose_to_the_input,
            absorb=lambda state, *_: To("after", state),
            handles=RESULTS,
        )
    )
    made.add(Node("after", COMPUTE, ("end",), run=raises(ValueError("no"))))
    install(monkeypatch, made)
    run = engine.start("odd")
    engine.turn()
    engine.decide(run)
    engine.turn()
    case, effect = Case.objects.get(run=run), Action.objects.get()
    seen = forecasts.of(full(run), Transition.go_on_from(effect.proposed_seq))
    assert seen.counts["reused"] == 1
    monkeypatch.setitem(made.nodes, "after", Node("after", COMPUTE, ("end",), run=returns({})))
    given = Given("go_on_from", "again", seq=effect.proposed_seq)
    verdicts.give(case.pk, given, user=engine.approver)
    engine.turn()
    assert full(run).status == "succeeded"
    assert Action.objects.count() == 1
    assert len(effects()) == 1
