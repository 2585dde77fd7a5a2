"""The chain page by page, one checkpoint verified, two compared with who changed what."""

import pytest

from checkpoints.models import Checkpoint, Run
from checkpoints.pages import history
from tests.checkpoints.tampering import change_the_state
from tests.engine.turns import Bench


@pytest.fixture
def run(engine: Bench) -> Run:
    made = engine.start(steps=4)
    engine.turn()
    return Run.objects.select_related("tenant", "combo").get(pk=made.pk)


def test_steps_come_newest_first_with_how_long_each_took(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, more = history.steps(run)
    assert [step.seq for step in steps] == [6, 5, 4, 3, 2, 1]
    assert not more
    assert steps[-1].took is None
    assert all(step.took is not None and step.took >= 0 for step in steps[:-1])
    assert steps[0].size > 20
    monkeypatch.setattr(history, "ROWS", 2)
    page, more = history.steps(run, before=5)
    assert ([step.seq for step in page], more) == ([4, 3], True)
    assert page[1].took is not None


def test_one_checkpoint_shows_state_header_and_what_it_appended(run: Run) -> None:
    shown = history.one(run, 3)
    assert '"at": 2' in shown.state
    assert '"protocol": 1' in shown.header
    assert '"step": 2' in shown.appended
    assert (shown.damage, shown.cut) == ("", 0)
    with pytest.raises(Checkpoint.DoesNotExist):
        history.one(run, 7)


def test_a_long_state_says_how_much_is_left_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = history.one(run, 3).state
    monkeypatch.setattr(history, "LONGEST_STATE", 10)
    shown = history.one(run, 3)
    assert (shown.state, shown.cut) == (whole[:10], len(whole) - 10)


def test_a_damaged_checkpoint_is_never_shown_as_if_it_were_whole(run: Run) -> None:
    change_the_state(run, 3)
    shown = history.one(run, 3)
    assert shown.state == ""
    assert "the state is not what the header says" in shown.damage
    assert "the state is not what the header says" in history.difference(run, 3, 4).damage


def test_a_difference_names_the_last_node_that_changed_each_path(run: Run) -> None:
    told = {change.path: change for change in history.difference(run, 1, 6).changes}
    assert (told["/at"].old, told["/at"].new, told["/at"].by) == ("0", "4", "count (#5)")
    assert (told["/thought"].kind, told["/thought"].by) == ("added", "think (#6)")
    assert told["/blob"].by == "count (#3)"


def test_the_first_difference_is_from_nothing(run: Run) -> None:
    told = {change.path: change.kind for change in history.difference(run, 0, 1).changes}
    assert told == {"/at": "added", "/sum": "added"}


def test_too_far_apart_nobody_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_BETWEEN", 2)
    assert {change.by for change in history.difference(run, 1, 6).changes} == {""}
    assert {change.by for change in history.difference(run, 5, 6).changes} == {"think (#6)"}


def test_what_is_left_out_of_a_difference_is_counted(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = len(history.difference(run, 1, 6).changes)
    monkeypatch.setattr(history, "MOST_CHANGES", 1)
    monkeypatch.setattr(history, "LONGEST_VALUE", 3)
    cut = history.difference(run, 1, 6)
    assert (len(cut.changes), cut.left_out) == (1, everything - 1)
    assert "more characters)" in cut.changes[0].new
