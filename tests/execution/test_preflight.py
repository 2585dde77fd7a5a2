"""Before a deploy: the runs that the new code can go on with, and each that it cannot with the reason."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from checkpoints import registry
from checkpoints.models import Checkpoint, Combo, Run
from execution import preflight
from tests.engine.turns import Bench
from tests.execution import next_agents

pytestmark = pytest.mark.django_db(transaction=True)
NEXT = "tests.execution.next_agents"


def said(*words: str) -> tuple[str, bool]:
    """What the command says, and whether it ended well."""
    out = StringIO()
    try:
        call_command("preflight", *words, stdout=out)
    except CommandError:
        return out.getvalue(), False
    return out.getvalue(), True


def paused(engine: Bench, key: str, tool: str = "fake.void", steps: int = 1) -> Run:
    run = engine.start(steps=steps, tool=tool, what=key)
    engine.turn()
    run.refresh_from_db()
    assert run.status == "waiting"
    return run


def test_the_code_of_the_runs_can_go_on_with_all_of_them(engine: Bench) -> None:
    paused(engine, "a")
    engine.start(steps=1)
    assert said() == ("2 of 2 paused runs can go on.\n", True)


def test_newer_code_says_which_runs_it_cannot_read_and_why(engine: Bench) -> None:
    small, large = paused(engine, "a"), paused(engine, "b", steps=3)
    looking = paused(engine, "c", tool=next_agents.GONE)
    gone = engine.start("strict", steps=1)
    fresh = engine.start(steps=1)
    rows, combos = Checkpoint.objects.count(), Combo.objects.count()
    text, ended_well = said("--agents", NEXT)
    assert not ended_well
    assert Combo.objects.count() == combos  # what was never deployed is offered to nobody
    assert text.startswith("2 of 5 paused runs can go on; 3 cannot:\n")
    lines = {str(run.pk): _line(text, run) for run in (large, looking, gone)}
    assert "too much to say in words" in lines[str(large.pk)]
    assert "the tool fake.look_up, which this code does not have" in lines[str(looking.pk)]
    assert "unknown task type 'strict'" in lines[str(gone.pk)]
    for run in (small, fresh):
        assert str(run.pk) not in text
    assert "2 of those it can read have other code, of combo" in text
    blocked = "2 of those are blocked by version, and go on under their own combo"
    assert f"{blocked} {registry.combo_of('steps')}: keep a worker of code" in text  # A45
    assert "No worker runs code" in text
    assert Checkpoint.objects.count() == rows
    assert registry.agents().__name__ == "tests.engine.registry"


def test_what_has_ended_does_not_count(engine: Bench) -> None:
    engine.start(steps=3)
    engine.turn()
    assert preflight.look(Run.objects.all()).all == 0


def test_a_module_that_is_not_there_is_said_to_be_so(engine: Bench) -> None:
    with pytest.raises(CommandError, match=r"there are no agents in nothing\.there"):
        call_command("preflight", "--agents", "nothing.there")


def _line(text: str, run: Run) -> str:
    return next(line for line in text.splitlines() if str(run.pk) in line)
