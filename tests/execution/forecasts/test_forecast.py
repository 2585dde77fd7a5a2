"""Forecasts of real runs: what the ledger says, read in a constant number of queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Run
from execution import forecasts
from execution.forecasts import Transition
from reconciliation.models import Action
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting


def done(engine: Bench) -> Run:
    """A run that is over; its one effect happened."""
    run = waiting(engine)
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    return full(run)


def unknown(engine: Bench) -> Run:
    run = waiting(engine, "fake.nothing")
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    return full(run)


def test_resume_says_that_nothing_is_sent_again(engine: Bench) -> None:
    seen = forecasts.of(done(engine), Transition.resume())
    assert seen.sentence == "Resume: 0 effects sent again, 1 stands."
    assert [line.describe for line in seen.lines] == ["write a-0"]
    assert seen.unforeseen == ("No node that may still run can propose an effect.",)


def test_an_open_question_is_one_that_needs_an_approval(engine: Bench) -> None:
    seen = forecasts.of(full(waiting(engine)), Transition.resume())
    assert seen.sentence == "Resume: 0 effects sent again, 1 needs an approval."
    assert seen.lines[0].why == "Its question is open."
    assert "What the node act proposes when it runs cannot be foreseen." in seen.unforeseen[0]


def test_a_yes_that_was_not_used_is_said_to_be_sent(engine: Bench) -> None:
    run = waiting(engine)
    engine.decide(run)
    seen = forecasts.of(full(run), Transition.resume())
    assert seen.sentence == "Resume: 0 effects sent again, 1 approved effect is sent."


def test_an_unknown_effect_blocks_going_back_and_forking_but_not_going_on(engine: Bench) -> None:
    run = unknown(engine)
    seen = forecasts.of(run, Transition.resume())
    assert (seen.blocked, seen.counts["unknown"]) == (False, 1)
    for transition in (Transition.go_on_from(1), Transition.fork(1)):
        assert forecasts.of(run, transition).blocked


def test_the_same_checkpoint_tells_what_is_ahead_from_what_is_behind(engine: Bench) -> None:
    run = done(engine)
    proposed = Action.objects.get().proposed_seq
    told = {
        seq: forecasts.of(run, Transition.fork(seq)).lines[0].kind for seq in range(run.head + 1)
    }
    # The proposal's own checkpoint is before the effect: it is proposed again from there.
    assert {seq for seq, kind in told.items() if kind == "reused"} == set(range(proposed + 1))
    assert told[run.head] == "stands"


def test_cancelling_never_sends_what_is_open(engine: Bench) -> None:
    seen = forecasts.of(full(waiting(engine)), Transition.cancel())
    assert seen.sentence == "Cancel: 0 effects sent again, 1 is never sent."
    assert seen.unforeseen == ()


def test_the_digest_moves_with_what_is_foreseen(engine: Bench) -> None:
    run = waiting(engine)
    before = forecasts.of(full(run), Transition.resume()).digest
    assert forecasts.of(full(run), Transition.resume()).digest == before
    engine.decide(run)
    assert forecasts.of(full(run), Transition.resume()).digest != before


def test_many_runs_cost_as_many_queries_as_one(engine: Bench) -> None:
    runs = [full(waiting(engine)) for _ in range(3)]
    with CaptureQueriesContext(
        connection,
    ) as one:
        forecasts.of(runs[0], Transition.resume())
    with CaptureQueriesContext(connection) as many:
        found = forecasts.of_each(runs, Transition.resume())
    assert len(many) == len(one)
    assert {seen.sentence for seen in found.values()} == {
        "Resume: 0 effects sent again, 1 needs an approval."
    }
    with pytest.raises(ValueError, match="501 runs at once"):
        forecasts.of_each([runs[0]] * 501, Transition.resume())
