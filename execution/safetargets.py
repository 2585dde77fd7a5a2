"""Under which combo a run can go on that cannot go back: one that reads what it has committed."""

from typing import Final

from checkpoints import versions
from checkpoints.models import Combo, Run

MOST: Final = 20


def named(run: Run, schema: int, *, but: Combo) -> str:
    """The newest combos that read a state schema, in one sentence; `but` is the one that does not."""
    return among(candidates(run.task_type), run.combo, schema, but)


def among(found: list[Combo], own: Combo, schema: int, but: Combo) -> str:
    """`named`, of combos that are read already."""
    able = [
        each
        for each in found
        if each.pk not in (but.pk, own.pk) and versions.of(each).state_schema == schema
    ]
    if able:
        return f"Safe is forward to combo {able[0]}, which reads schema {schema}."
    return f"Safe is to go on under its own combo {own}."


def candidates(task_type: str) -> list[Combo]:
    """The newest combos of a task type."""
    return list(Combo.objects.filter(task_type=task_type).order_by("-pk")[:MOST])
