"""Evidence of a fork: where it began is proven, what it took over is named, a lie is found."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from reconciliation.evidence.exporting import export
from reconciliation.evidence.members import sign
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from tenants.actors import Actor
from tenants.trail import heads
from tests.engine.turns import Bench
from tests.execution.forks.ways import done, forked
from tests.execution.runs import full

pytestmark = pytest.mark.django_db(transaction=True)


def evidence(engine: Bench, seq: int = 2) -> dict[str, Any]:
    run = forked(engine, done(engine), seq)
    engine.turn()
    actor = Actor.person(engine.approver)
    found: dict[str, Any] = json.loads(export(About.run(full(run)), actor=actor, whole=True))
    return found


@pytest.mark.parametrize("seq", [0, 2])
def test_it_proves_where_the_run_began(engine: Bench, seq: int) -> None:
    document = evidence(engine, seq)
    findings = verify(json.dumps(document).encode(), heads.believed())
    assert findings.faults == []
    began = f"The run began from checkpoint {seq} of run {document['run']['forked']['run']}"
    assert any(said.startswith(began) for said in findings.proven)
    assert any("took over action" in said for said in findings.open)


def drop(document: dict[str, Any]) -> None:
    del document["run"]["forked"]


def move(document: dict[str, Any]) -> None:
    document["run"]["forked"]["seq"] += 1


def swap(document: dict[str, Any]) -> None:
    document["run"]["forked"]["checkpoint"] = "0" * 64


@pytest.mark.parametrize("lie", [drop, move, swap])
def test_another_origin_is_found_even_when_it_is_signed(
    engine: Bench, lie: Callable[[dict[str, Any]], None]
) -> None:
    document = evidence(engine)
    lie(document)
    document["signature"] = sign(document, heads.signing_key())
    faults = verify(json.dumps(document).encode(), heads.believed()).faults
    assert {fault.member for fault in faults} == {"/checkpoints/0/header"}
