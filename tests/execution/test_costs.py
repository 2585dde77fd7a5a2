"""What asking a model cost is a fact of the run, whatever became of the answer."""

from checkpoints.models import Event
from execution import costs
from tests.engine.turns import Bench


def test_each_time_a_model_is_asked_is_noted_with_its_tokens(engine: Bench) -> None:
    run = engine.start(steps=1)
    engine.turn()
    noted = Event.objects.get(run=run, what=costs.ASKED)
    assert noted.detail == {"node": "think", "prompt_tokens": 3, "tokens": 3}
