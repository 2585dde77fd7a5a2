"""Evidence of a shadow: whole, nothing sent, and what it borrowed is named as another run's."""

import json

import pytest

from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from tenants.actors import Actor
from tenants.trail import heads
from tests.engine.turns import Bench
from tests.execution.runs import full
from tests.releases.shadows.beside import stage

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_holds_and_names_what_was_borrowed(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    twin = made.twin(live)
    made.allow(live)
    made.go_on(twin)
    actor = Actor.person(engine.approver)
    document = json.loads(export(About.run(full(twin)), actor=actor, whole=True))
    findings = verify(json.dumps(document).encode(), heads.believed())
    assert findings.faults == []
    assert any("went on with what became of action" in said for said in findings.open)
    assert [action["attempts"] for action in document["actions"]] == [[]]
