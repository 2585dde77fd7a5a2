"""Evidence of a state written by hand: who wrote it and who allowed it is proven, a lie is found."""

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
from tests.execution.edits.desks import crashed
from tests.execution.runs import full

Json = dict[str, Any]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def document(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Json:
    desk = crashed(engine, monkeypatch)
    desk.decide(desk.write({"amount": 6}), "reject", "not enough")
    desk.decide(desk.write({"amount": 7}))
    engine.turn()
    actor = Actor.person(engine.approver)
    found: Json = json.loads(export(About.run(full(desk.run)), actor=actor, whole=True))
    return found


def test_it_proves_who_wrote_the_state_and_who_allowed_it(document: Json) -> None:
    findings = verify(json.dumps(document).encode(), heads.believed())
    assert findings.faults == []
    told = " ".join(findings.proven)
    used = document["cases"][0]["edits"][1]["hash"][:8]
    assert f"Checkpoint 2 is the state {used} that Eve wrote and Dee allowed." in told
    assert "Dee said reject to the state" in told
    assert "tok-secret-1" not in json.dumps(document)


def edits(document: Json) -> list[Json]:
    found: list[Json] = document["cases"][0]["edits"]
    return found


def drop_it(document: Json) -> None:
    for edit in edits(document):
        for name in ("state", "diff"):
            document["contents"].pop(edit[name], None)
    del document["cases"][0]["edits"]


def no_decision(document: Json) -> None:
    edits(document)[1]["decision"] = None


def by_its_author(document: Json) -> None:
    edits(document)[1]["decision"]["person"] = edits(document)[1]["author"]


def by_the_starter(document: Json) -> None:
    edits(document)[1]["decision"]["person"]["id"] = document["run"]["started_by"]


def said_no(document: Json) -> None:
    edits(document)[1]["decision"]["verdict"] = "reject"


def too_late(document: Json) -> None:
    edits(document)[1]["decision"]["at"] = edits(document)[1]["expires_at"]


def another_author(document: Json) -> None:
    edits(document)[1]["author"]["id"] += 1000


def another_bound_field(document: Json) -> None:
    edits(document)[1]["bound"] = edits(document)[1]["bound"].replace("wrong", "right")


def another_checkpoint(document: Json) -> None:
    edits(document)[1]["checkpoint"] = 3


def not_used(document: Json) -> None:
    edits(document)[1]["stands"] = "approved"


def the_other_is_used(document: Json) -> None:
    edits(document)[0]["stands"] = "used"


LIES = [
    drop_it,
    no_decision,
    by_its_author,
    by_the_starter,
    said_no,
    too_late,
    another_author,
    another_bound_field,
    another_checkpoint,
    not_used,
    the_other_is_used,
]


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_even_when_it_is_signed(document: Json, lie: Callable[[Json], None]) -> None:
    lie(document)
    document["signature"] = sign(document, heads.signing_key())
    faults = verify(json.dumps(document).encode(), heads.believed()).faults
    assert any("edits" in each.member or "header" in each.member for each in faults), faults
