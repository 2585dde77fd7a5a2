"""An approved edit becomes the next checkpoint, once, with its author; else the run is held again."""

import pytest

from checkpoints import headers, reading
from checkpoints.models import Case, Checkpoint, Event
from execution.edits.writing import EDITED_NODE
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed
from tests.execution.runs import full, head

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def test_a_run_goes_on_from_the_state_that_two_people_stand_by(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    desk.decide(edit)
    desk.engine.turn()
    run = full(desk.run)
    assert run.status == "succeeded"
    chain = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    assert list(chain.values_list("node", "next_node")) == [
        ("first", "second"),
        (EDITED_NODE, "second"),
        ("second", "end"),
    ]
    edit.refresh_from_db()
    assert (edit.state, edit.used_seq) == ("used", 2)
    header = reading.load(run, 2).header
    assert headers.written(edit.edit_hash) == header["edit"]
    assert bytes(chain[1].state) == bytes(edit.content)
    assert head(run)["seen"] == ["kept"]
    assert reading.verify_run(run) == []
    told = Event.objects.filter(run=run, what="edit approved").get()
    assert (told.actor, told.detail["author"]) == ("Dee", "Eve")
    assert Case.objects.get(run=run).closed_at is not None
