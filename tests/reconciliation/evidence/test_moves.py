"""Evidence of a run that moved to another combo: what each checkpoint is of is proven, a lie found."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from checkpoints.models import Run
from execution import repinning
from reconciliation.evidence.exporting import export
from reconciliation.evidence.members import sign
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from tenants.actors import Actor
from tenants.trail import heads
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.execution.repins.pools import CAUSE, SHELL
from tests.execution.runs import full, waiting

pytestmark = pytest.mark.django_db(transaction=True)


def evidence(engine: Bench) -> dict[str, Any]:
    """There and back, before its first checkpoint and while it waits for a yes."""
    run = engine.start(tool="fake.void", what="a")
    own, other = full(run).combo, another("steps", "otherwise")
    for to in (other, own):
        engine.turn()
        repinning.order(run, to, why="it is worse", cause=CAUSE, actor=SHELL)
    engine.turn()
    engine.decide(run)
    engine.turn()
    return exported(engine, run)


def exported(engine: Bench, run: Run) -> dict[str, Any]:
    actor = Actor.person(engine.approver)
    found: dict[str, Any] = json.loads(export(About.run(full(run)), actor=actor, whole=True))
    return found


def test_it_proves_which_combo_each_checkpoint_is_of(engine: Bench) -> None:
    document = evidence(engine)
    assert [move["seq"] for move in document["run"]["moved"]] == [6, 7]
    findings = verify(json.dumps(document).encode(), heads.believed())
    assert findings.faults == []
    assert sum("ordered that it moves from combo" in said for said in findings.proven) == 2


def test_a_run_that_never_moved_says_nothing_of_it(engine: Bench) -> None:
    assert "moved" not in exported(engine, waiting(engine))["run"]


def drop(run: dict[str, Any]) -> None:
    del run["moved"]


def later(run: dict[str, Any]) -> None:
    run["moved"][1]["seq"] += 1


def elsewhere(run: dict[str, Any]) -> None:
    run["moved"][1]["to"] = run["moved"][1]["from"]


def not_there(run: dict[str, Any]) -> None:
    run["combo"] = run["moved"][0]["to"]


@pytest.mark.parametrize("lie", [drop, later, elsewhere, not_there])
def test_a_lie_about_it_is_found_even_when_it_is_signed(
    engine: Bench, lie: Callable[[dict[str, Any]], None]
) -> None:
    document = evidence(engine)
    lie(document["run"])
    document["signature"] = sign(document, heads.signing_key())
    assert verify(json.dumps(document).encode(), heads.believed()).faults != []
