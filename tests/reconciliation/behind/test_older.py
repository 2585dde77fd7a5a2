"""The record goes back to before a run, its effect or its attempt: nothing is sent twice, all is listed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.errors import IllegalMoveError, InputRefusedError
from checkpoints.models import Case, Run, Stop
from execution import pacing
from reconciliation import lateanswers, outcomes, verdicts
from reconciliation.behind import asking, comparing, noticing, settling
from reconciliation.behind.models import Divergence, MissingLine
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.checkpoints.lifts import lifted
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.reconciliation.behind.restores import approved, begin, is_over, lost, to_the_end


def restored(engine: Bench, before: Callable[[Bench], Run], *, arrived: bool = True) -> Run:
    """A run that sent its effect, in a record that is of a moment before it."""
    run = before(engine)
    with lost():
        to_the_end(engine, run)
    run.refresh_from_db()
    if not arrived:
        for effect in engine.world.glob("effect-*"):
            effect.unlink()
    return run


def go_on(engine: Bench, run: Run) -> str:
    """All is settled, two lift, and what waited goes on by itself; how the run ended."""
    while noticing.withdraw_grants():
        pass
    settling.settle_known()
    lifted(Stop.objects.get())
    pacing.let_go_on()
    to_the_end(engine, run)
    run.refresh_from_db()
    return run.status


@pytest.mark.parametrize("tool", ["fake.void", "fake.look_up"])
@pytest.mark.parametrize("before", [approved, begin], ids=["attempt", "effect"])
def test_what_reached_the_world_is_found_there_and_not_sent_again(
    engine: Bench, before: Callable[[Bench, str], Run], tool: str
) -> None:
    run = restored(engine, lambda bench: before(bench, tool))
    assert len(effects()) == 1
    assert comparing.compare(whole=True) is not None
    line = MissingLine.objects.get()
    assert line.lacks == ("attempt" if before is approved else "action")
    if before is approved:
        lateanswers.conclude(Case.objects.get().pk, outcomes.ask(Action.objects.get()))
        settling.settle_known()
    else:
        assert asking.ask(line) == "there"
    line.refresh_from_db()
    assert line.became == "happened"
    assert go_on(engine, run) == "succeeded"
    assert len(effects()) == 1
    assert Divergence.objects.get().ended_by != ""


def test_what_was_proposed_anew_meanwhile_is_the_effect_that_was_lost(engine: Bench) -> None:
    run = restored(engine, begin)
    engine.turn()
    engine.decide(run)
    comparing.compare()
    line = MissingLine.objects.get()
    assert (line.lacks, asking.ask(line)) == ("action", "there")
    assert go_on(engine, run) == "succeeded"
    assert Action.objects.count() == Attempt.objects.count() == len(effects()) == 1


def test_what_was_proposed_anew_and_kept_back_by_the_journal_is_that_effect_too(
    engine: Bench, settings: Settings
) -> None:
    """Found by `make restores`: its run could only be cancelled, and nothing lifted before."""
    run = restored(engine, begin)
    engine.turn()
    engine.decide(run)
    # The process that opens the attempt sees at its line that the record is not the journal's.
    journal = Path(settings.KEDGE_JOURNAL_DIR)
    kept = journal.rename(journal.with_name("kept"))
    journal.write_text("a file where the folder should be")
    engine.turn()
    journal.unlink()
    kept.rename(journal)
    anew = Action.objects.get()
    assert (anew.stands, anew.attempts.get().outcome) == ("dispatched", "not_called")
    comparing.compare()
    assert asking.ask(MissingLine.objects.get()) == "there"
    assert list(anew.attempts.order_by("number").values_list("outcome", "from_journal")) == [
        ("not_called", False),
        ("happened", True),
    ]
    assert go_on(engine, run) == "succeeded"
    assert (Action.objects.count(), len(effects())) == (1, 1)


def test_what_never_arrived_is_made_void_and_proposed_anew_with_a_yes_of_its_own(
    engine: Bench,
) -> None:
    run = restored(engine, begin, arrived=False)
    assert effects() == []
    comparing.compare()
    line = MissingLine.objects.get()
    assert asking.ask(line) == "unanswered"
    is_over(line)
    line.refresh_from_db()
    assert asking.ask(line) == "voided"
    line.refresh_from_db()
    assert line.became == "did_not_happen"
    assert go_on(engine, run) == "succeeded"
    assert len(effects()) == 1


def test_a_tool_that_cannot_be_asked_leaves_it_to_a_person(engine: Bench) -> None:
    run = restored(engine, lambda bench: begin(bench, "fake.nothing"))
    comparing.compare()
    assert asking.ask(MissingLine.objects.get()) == "cannot_be_asked"
    case = Case.objects.get()
    assert [each.verdict for each in verdicts.choices(case)] == [
        "it_happened",
        "it_did_not",
        "cancel",
    ]
    verdicts.give(case.pk, Given("it_happened", "Seen.", "In the log."), user=engine.approver)
    assert MissingLine.objects.get().became == "happened"
    assert go_on(engine, run) == "succeeded"
    assert len(effects()) == 1
    assert Attempt.objects.get().from_journal


def test_a_run_that_is_lost_whole_is_asked_about_and_settled_by_a_person(engine: Bench) -> None:
    with lost():
        to_the_end(engine, begin(engine))
    comparing.compare()
    line = MissingLine.objects.get()
    assert (line.lacks, line.tenant, asking.ask(line)) == ("run", engine.tenant, "there")
    line.refresh_from_db()
    assert line.became == ""
    settling.settle(line.pk, became="happened", reason="It is there.", user=engine.starter)
    lifted(Stop.objects.get())
    assert comparing.compare(whole=True) is None
    assert len(effects()) == 1


@pytest.mark.parametrize(
    ("became", "starts"), [("happened", False), ("nobody_knows", False), ("did_not_happen", True)]
)
def test_who_starts_a_lost_run_again_would_have_it_done_twice(
    engine: Bench, became: str, *, starts: bool
) -> None:
    again = Request("steps", "order 7", {"tool": "fake.void", "what": "a"}, channel="test")
    actor = Actor.person(engine.starter)
    with lost():
        to_the_end(engine, runs.start(engine.tenant, again, actor=actor)[0])
    comparing.compare()
    line = MissingLine.objects.get()
    with pytest.raises(InputRefusedError, match="lost from this record"):
        runs.start(engine.tenant, again, actor=actor)
    settling.settle(line.pk, became=became, reason="Looked.", user=engine.starter)
    if starts:
        assert runs.start(engine.tenant, again, actor=actor)[1]
        return
    with pytest.raises(InputRefusedError):
        runs.start(engine.tenant, again, actor=actor)


def test_while_anything_is_open_nobody_lifts_it(engine: Bench) -> None:
    restored(engine, begin)
    comparing.compare()
    with pytest.raises(IllegalMoveError, match="lacks and nobody has settled: 1"):
        lifted(Stop.objects.get())


def test_lines_that_were_settled_are_not_listed_again(engine: Bench) -> None:
    run = restored(engine, begin)
    comparing.compare()
    asking.ask(MissingLine.objects.get())
    assert go_on(engine, run) == "succeeded"
    assert comparing.compare(whole=True) is None
    assert Divergence.objects.count() == MissingLine.objects.count() == 1
