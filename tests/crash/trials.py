"""One trial: a run in a world of its own, killed where it is told, and helped until it ends."""

import time
import uuid
from dataclasses import dataclass

from tests.crash.course import Course, Stage, Trial
from tests.crash.points import Point
from tests.crash.processes import StuckError
from tests.crash.record import End
from tests.crash.roles import Job
from tests.crash.scenarios import BY_NAME
from tests.crash.turns import carry_on
from tests.crash.worlds import Effect, Place

__all__ = ["Result", "Stage", "Trial", "run"]


@dataclass(frozen=True)
class Result:
    """What became of a trial. `reached` is what its processes passed since the last kill.

    `held` is the run as it was whenever a person had to decide. `ended_at` is of this machine's
    monotonic clock, in seconds.
    """

    trial: Trial
    place: Place
    fired: int
    held: tuple[End, ...]
    end: End | None
    effects: tuple[Effect, ...]
    reached: tuple[Point, ...]
    conditions: tuple[str, ...]
    trouble: str
    ended_at: float


def run(trial: Trial, stage: Stage) -> Result:
    """Take a fresh run to its end through every kill of the trial."""
    began = time.monotonic()
    patience = BY_NAME[trial.scenario].patience_seconds
    if stage.patience_seconds and trial.kills:
        patience = stage.patience_seconds
    course = _begin(trial, stage)
    try:
        carry_on(course, until=began + patience)
        end = course.end()
    except StuckError as stuck:
        course.trouble = f"{course.trouble} {stuck}".strip()
        end = None
    return Result(
        trial=trial,
        place=course.place,
        fired=course.fired,
        held=tuple(course.held),
        end=end,
        effects=tuple(course.place.effects()),
        reached=tuple(course.reached),
        conditions=tuple(course.conditions),
        trouble=course.trouble,
        ended_at=time.monotonic(),
    )


def _begin(trial: Trial, stage: Stage) -> Course:
    scenario = BY_NAME[trial.scenario]
    key = uuid.uuid4().hex[:16]
    shop = stage.shop if scenario.refunds else None
    place = Place(stage.folder / key, key, stage.mailbox, shop, scenario.service)
    place.prepare(stage.seed if scenario.pushes else None, slow=scenario.slow_remote)
    place.enter()
    content = scenario.content(place)
    what = (scenario.task_type, key, content, scenario.answers, scenario.variant)
    job = Job(stage.cast, *what)
    return Course(trial, job, place, stage)
