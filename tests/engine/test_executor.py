"""A run from start to end, in every way an action can go."""

import pytest

from checkpoints import reading
from checkpoints.models import Case, Checkpoint, Event, Recovery
from reconciliation.models import Action, Attempt, Receipt
from tests.engine.faketools import effects
from tests.engine.turns import Bench

TOOLS = ["fake.void", "fake.keyed", "fake.look_up", "fake.nothing"]


def test_compute_read_and_model_nodes_run_to_the_end(engine: Bench) -> None:
    run = engine.start(steps=4)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.stop_reason, run.sentence) == ("succeeded", "done", "Done.")
    assert run.head == 6
    head = reading.load_head(run)
    assert head.state["thought"] == "4 steps"
    assert reading.verify_run(run) == []
    assert [item["step"] for item in reading.chain_items(run, head, "log")] == [1, 2, 3, 4]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tool", TOOLS)
def test_an_approved_effect_happens_once(engine: Bench, tool: str) -> None:
    run = engine.start(tool=tool, what="a")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_approval")
    assert effects() == []
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == ("succeeded", "done")
    action = Action.objects.get(run=run)
    assert (action.stands, action.outcome, action.because) == ("settled", "happened", "answered")
    assert [effect["key"] for effect in effects()] == [bytes(action.key).hex()]
    assert Attempt.objects.get(action=action).outcome == "happened"
    assert reading.load_head(run).state["heard"] == [["happened", ""]]
    assert reading.verify_run(run) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tool", ["fake.void", "fake.look_up"])
def test_a_lost_answer_is_looked_up_and_never_sent_again(engine: Bench, tool: str) -> None:
    run = engine.start(tool=tool, what="a")
    engine.turn()
    engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert len(effects()) == 1
    action = Action.objects.get(run=run)
    assert (action.outcome, action.because) == ("happened", "looked_up")
    assert action.attempts.count() == 1
    assert Receipt.objects.get(action=action).source == "look_up"


@pytest.mark.django_db(transaction=True)
def test_a_lost_answer_of_a_tool_that_can_do_nothing_needs_a_person(engine: Bench) -> None:
    run = engine.start(tool="fake.nothing", what="a")
    engine.turn()
    engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "outcome_unknown")
    assert len(effects()) == 1
    case = Case.objects.get(run=run)
    action = Action.objects.get(run=run)
    assert case.action_id == action.id
    assert (action.stands, action.outcome) == ("dispatched", "unknown")
    assert run.effect_in_flight == action.id


@pytest.mark.django_db(transaction=True)
def test_a_keyed_tool_is_sent_again_under_its_key(engine: Bench) -> None:
    run = engine.start(tool="fake.keyed", what="a")
    engine.turn()
    lost = engine.fault("drop_answer")
    engine.decide(run)
    lost.unlink()
    engine.turn()
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert len(effects()) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("verdict", "because"), [("reject", "rejected"), ("send_back", "sent_back")]
)
def test_a_no_reaches_the_node_and_nothing_is_sent(
    engine: Bench, verdict: str, because: str
) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run, verdict, "not like this")
    engine.turn()
    run.refresh_from_db()
    first = Action.objects.filter(run=run).order_by("proposed_seq").first()
    assert first is not None
    assert (first.outcome, first.because, first.note) == (
        "did_not_happen",
        because,
        "not like this",
    )
    assert effects() == []
    assert reading.load_head(run).state["heard"] == [[because, "not like this"]]
    expected = "succeeded" if verdict == "reject" else "waiting"
    assert run.status == expected


@pytest.mark.django_db(transaction=True)
def test_a_graph_without_an_edge_for_a_no_ends_failed(engine: Bench) -> None:
    run = engine.start("strict", tool="fake.void", what="a")
    engine.turn()
    engine.decide(run, "reject", "no")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == ("failed", "rejected")
    assert "No effect stands" in run.sentence
    assert Action.objects.get(run=run).absorbed_seq == run.head


def test_checkpoints_are_the_events_of_commits(engine: Bench) -> None:
    run = engine.start(steps=2)
    engine.turn()
    assert Checkpoint.objects.filter(run_id=run.id).count() == 4
    assert list(Event.objects.filter(run=run).values_list("what", flat=True)) == [
        "started",
        "model asked",
        "succeeded",
    ]
    assert not Recovery.objects.filter(run=run).exists()
