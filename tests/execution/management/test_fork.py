"""`manage.py fork`: it says what would happen first, and the same token twice is one fork."""

from uuid import uuid4

import pytest
from django.core.management.base import CommandError

from checkpoints.models import Fork
from tests.engine.turns import Bench
from tests.execution.forks.ways import done
from tests.execution.management.test_commands import say
from tests.execution.runs import full, waiting


def test_without_yes_it_only_says_what_would_happen(engine: Bench) -> None:
    said = say("fork", done(engine).pk, "--checkpoint", 2)
    assert "Fork from checkpoint 2: 0 effects sent again, 1 is reused." in said
    assert "write a-0: It happened." in said
    assert "Nothing was forked" in said
    assert not Fork.objects.exists()


def test_the_same_token_twice_is_one_fork(engine: Bench) -> None:
    source, token = done(engine), uuid4()
    asked = ("fork", source.pk, "--checkpoint", 2, "--why", "mend", "--token", token, "--yes")
    first, second = say(*asked), say(*asked)
    made = Fork.objects.get()
    assert str(made.run_id) in first
    assert f"{made.run_id} (forked before by this token)" in second
    assert (made.reason, made.made_by) == ("mend", "command line")
    engine.turn()
    assert full(made.run).status == "succeeded"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--why", "x", "--checkpoint", 99], "checkpoint 99"),
        (["--checkpoint", 1], "needs a reason"),
        (["--why", "x", "--checkpoint", 1, "--combo", "zz"], "0 combos begin with 'zz'"),
    ],
)
def test_what_cannot_be_forked_is_said(engine: Bench, more: list[object], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        say("fork", done(engine).pk, *more, "--yes")
    assert not Fork.objects.exists()


def test_a_run_at_work_is_not_forked(engine: Bench) -> None:
    with pytest.raises(CommandError, match="still at work"):
        say("fork", waiting(engine).pk, "--checkpoint", 1, "--why", "x", "--yes")
