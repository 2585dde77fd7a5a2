"""What a step adds to the record is what it changed, however long the run has become."""

from typing import Final

from django.db.models import QuerySet
from django.db.models.functions import Length

from checkpoints.models import Checkpoint
from tests.engine.turns import Bench

STEPS: Final = 120
# Numbers grow by a digit or two; nothing else does.
DIGITS: Final = 24


def test_s120_a_step_late_in_a_run_adds_no_more_than_an_early_one(engine: Bench) -> None:
    """Each step appends one item to a list that it leaves where it is."""
    run = engine.start(steps=STEPS)
    engine.turn()
    steps: QuerySet[Checkpoint] = Checkpoint.objects.filter(run_id=run.pk, node="count")
    sizes = list(
        steps.order_by("seq")
        .annotate(bytes=Length("state") + Length("header") + Length("appended"))
        .values_list("bytes", flat=True)
    )
    assert len(sizes) == STEPS
    assert max(sizes[STEPS // 2 :]) <= min(sizes[5:10]) + DIGITS
