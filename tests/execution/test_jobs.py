"""The RQ job: a hint, and nothing else."""

import pytest

from checkpoints.models import Run
from execution import jobs
from tests.engine.turns import Bench


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hint", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_whatever_the_hint_what_is_due_is_taken(engine: Bench, hint: str) -> None:
    engine.start(steps=2)
    jobs.look_at(hint)
    assert Run.objects.get().status == "succeeded"
