"""A stop of effects halts models too: what is asked of them leaves the house."""

from typing import Any

import pytest

from checkpoints import stops
from checkpoints.graph import END, MODEL, Context, State, To
from checkpoints.models import Checkpoint, Run
from checkpoints.scopes import Scope
from execution import pacing
from tenants.actors import Actor
from tests.checkpoints.lifts import lifted
from tests.engine.turns import Bench
from tests.execution.graphs import NAME, single
from tests.people import make_tenant

pytestmark = pytest.mark.django_db
ADA = Actor.machine("Ada")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the model of the task "odd" was asked."""
    questions: list[str] = []

    def think(state: State, context: Context) -> To:
        questions.append("what now?")
        return To(END, {"thought": "go on"})

    single(monkeypatch, think, kind=MODEL)
    return questions


def status(run: Run) -> tuple[str, Any]:
    run.refresh_from_db()
    return run.status, run.reason


@pytest.mark.parametrize("where", ["everything", "tenant", "task"])
def test_no_model_is_asked_while_effects_are_stopped(
    engine: Bench, asked: list[str], where: str
) -> None:
    scopes = {
        "everything": Scope(),
        "tenant": Scope(engine.tenant),
        "task": Scope(engine.tenant, task_type=NAME),
    }
    made = stops.stop(scopes[where], "effects", why="It says odd things.", actor=ADA)
    run = engine.start("odd")
    engine.turn()
    assert (status(run), asked) == (("waiting", "for_stop"), [])
    assert not Checkpoint.objects.filter(run_id=run.id).exists()
    lifted(made)
    assert pacing.let_go_on() == 1
    engine.turn()
    assert (status(run)[0], len(asked)) == ("succeeded", 1)


def test_a_stop_of_others_or_of_a_tool_holds_no_model_up(engine: Bench, asked: list[str]) -> None:
    other = make_tenant("other")
    for scope in (Scope(other), Scope(engine.tenant, tool="fake.void")):
        stops.stop(scope, "effects", why="Elsewhere.", actor=ADA)
    run = engine.start("odd")
    engine.turn()
    assert (status(run)[0], len(asked)) == ("succeeded", 1)
