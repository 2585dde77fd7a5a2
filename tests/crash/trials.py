"""One trial: a run in a world of its own, killed where it is told, and helped until it ends."""

import os
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from checkpoints.states import HELD, OUTCOME_UNKNOWN, RUNNING
from reconciliation import verdicts
from tests.crash import points, record, roles, rulings
from tests.crash.databases import Cast
from tests.crash.points import Point
from tests.crash.processes import Ended, StuckError, live, watch_statements
from tests.crash.record import Done, End, Stands
from tests.crash.registry import TOOLS
from tests.crash.roles import Job
from tests.crash.rulings import Word
from tests.crash.scenarios import BY_NAME, Scenario
from tests.crash.worlds import Effect, Place
from tests.servers.shop import Shop

PAUSE_SECONDS = 0.01
# Longer windows are not waited for: then the person says what can be said at once.
LONGEST_WINDOW_SECONDS = 5


@dataclass(frozen=True)
class Trial:
    """Which scenario is killed where, one after the other; who notices that a horse died.

    `noticed_by` *parent*: its worker lives; *sweep*: the worker died with it; *revoke*: a person was
    quicker than both. `sweeps`: a sweeper
    round follows every process, also when nothing has happened. `statements`: every statement to
    PostgreSQL is a boundary.
    """

    scenario: str
    kills: tuple[Point, ...] = ()
    noticed_by: str = points.PARENT
    sweeps: bool = False
    statements: bool = False

    def __str__(self) -> str:
        where = ", then ".join(str(kill) for kill in self.kills) or "not killed"
        return f"{self.scenario}: {where} (noticed by {self.noticed_by})"


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


@dataclass(frozen=True)
class Stage:
    """Where the trials of one lane take place. `patience_seconds` 0: as each scenario says."""

    reader: psycopg.Connection
    cast: Cast
    folder: Path
    mailbox: Path
    seed: Path
    patience_seconds: float = 0
    shop: Shop | None = None


@dataclass
class _Course:
    """A trial under way."""

    trial: Trial
    job: Job
    place: Place
    stage: Stage
    fired: int = 0
    count: Counter[str] = field(default_factory=Counter)
    reached: list[Point] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    died: uuid.UUID | None = None
    held: list[End] = field(default_factory=list)
    is_cancelled: bool = False
    trouble: str = ""

    @property
    def scenario(self) -> Scenario:
        return BY_NAME[self.trial.scenario]

    @property
    def is_to_be_cancelled(self) -> bool:
        return self.scenario.cancelled and self.fired > 0 and not self.is_cancelled

    def is_to_be_forked(self, now: Stands) -> bool:
        return self.scenario.forked and now.is_final and not now.is_fork

    def stands(self) -> Stands | None:
        return record.stands(self.stage.reader, self.job.business_key)

    def undoing(self) -> Stands | None:
        """Where the run is that undoes an effect, if one does."""
        if not self.scenario.words:
            return None
        return record.undoing(self.stage.reader, self.job.business_key)

    def word(self) -> Word | None:
        """What people who decide its cases have not said yet: the next of it."""
        words = self.scenario.words
        if not words:
            return None
        said = record.said(self.stage.reader, self.job.business_key)
        return words[said] if said < len(words) else None

    def end(self) -> End:
        return record.end_of(self.job.business_key, ticket=self.place.ticket)

    def live(self, role: str, act: Callable[[], object]) -> Ended:
        """Let one process act, and die if its turn has come."""
        self.count[role] += 1
        nth = self.count[role]
        kill = self.trial.kills[self.fired] if self.fired < len(self.trial.kills) else None
        armed = kill if kill and kill.role == role and kill.nth in (0, nth) else None
        os.environ["KEDGE_CRASH_LIVES"] = str(self.fired)
        if self.trial.statements:
            act = _watched(act)
        ended = live(act, self.place.folder, kill_at=armed.at if armed else "")
        self.reached += [Point(role, nth, at) for at in ended.reached]
        if armed and ended.died_at(armed.at):
            self._note_death()
        elif not ended.in_order:
            self.trouble = self.trouble or f"{role} {nth} ended with status {ended.status}"
        return ended

    def _note_death(self) -> None:
        self.fired += 1
        self.count.clear()
        self.reached.clear()
        effects = len(self.place.effects())
        self.conditions.append(record.condition(self.stage.reader, self.job.business_key, effects))


def _watched(act: Callable[[], object]) -> Callable[[], object]:
    def watched() -> None:
        watch_statements()
        act()

    return watched


def run(trial: Trial, stage: Stage) -> Result:
    """Take a fresh run to its end through every kill of the trial."""
    began = time.monotonic()
    patience = BY_NAME[trial.scenario].patience_seconds
    if stage.patience_seconds and trial.kills:
        patience = stage.patience_seconds
    course = _begin(trial, stage)
    try:
        _carry_on(course, until=began + patience)
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


def _begin(trial: Trial, stage: Stage) -> _Course:
    scenario = BY_NAME[trial.scenario]
    key = uuid.uuid4().hex[:16]
    place = Place(stage.folder / key, key, stage.mailbox, stage.shop if scenario.refunds else None)
    place.prepare(stage.seed if scenario.pushes else None, slow=scenario.slow_remote)
    place.enter()
    content = scenario.content(place)
    what = (scenario.task_type, key, content, scenario.answers, scenario.variant)
    job = Job(stage.cast, *what)
    return _Course(trial, job, place, stage)


def _carry_on(course: _Course, *, until: float) -> None:
    """Let processes come and go until the run ends. Raises `StuckError` past `until`."""
    while True:
        now = course.stands()
        if now is not None and _is_over(course, now):
            return
        if time.monotonic() > until:
            raise StuckError(f"the run did not end in time; it is {now}")
        if now is not None and course.is_to_be_cancelled:
            course.is_cancelled = True
            course.live(points.CANCEL, lambda: roles.cancel(course.job))
        _next(course, now)
        if course.trial.sweeps:
            course.live(points.SWEEP, roles.sweep)


def _is_over(course: _Course, now: Stands) -> bool:
    if course.is_to_be_forked(now):
        return False
    if course.scenario.words:
        return now.is_final and not _is_to_be_decided(course, now)
    return now.is_final or not _may_go_on(course, now)


def _is_to_be_decided(course: _Course, now: Stands) -> bool:
    """Whether words are left, a case is not closed, or what is to be undone is not."""
    undoing = course.undoing()
    under_way = undoing is not None and not undoing.is_final
    return now.is_unproven or under_way or course.word() is not None


def _may_go_on(course: _Course, now: Stands) -> bool:
    """A held run goes on when a person can decide: only what nobody else can know.

    Each death can leave one thing unknown, so there are no more of these than deaths.
    """
    if now.status != HELD or course.scenario.mended_by:
        return True
    if len(course.held) >= max(course.fired, 1):
        return False
    held = course.end()
    course.held.append(held)
    unknown = held.unknown
    if held.case != OUTCOME_UNKNOWN or unknown is None:
        return False
    verdict = _verdict(course, unknown)
    course.live(points.JUDGE, lambda: roles.rule(course.job, verdict))
    return True


def _verdict(course: _Course, unknown: Done) -> str:
    """What somebody would say who sees the outside world, once nothing can arrive any more."""
    window = TOOLS[unknown.tool].budget_seconds + TOOLS[unknown.tool].margin_seconds
    if window <= LONGEST_WINDOW_SECONDS:
        time.sleep(window)
    if any(effect.key == unknown.key for effect in course.place.effects()):
        return verdicts.IT_HAPPENED
    return verdicts.SEND_AGAIN if window <= LONGEST_WINDOW_SECONDS else verdicts.WRITE_OFF


def _next(course: _Course, now: Stands | None) -> None:
    if now is None:
        course.live(points.START, lambda: roles.start(course.job))
    elif course.is_to_be_forked(now):
        course.live(points.FORK, lambda: roles.fork(course.job))
    elif not (course.scenario.words and _is_ruled(course, now)):
        _go_on(course, now)


def _go_on(course: _Course, now: Stands) -> None:
    """The run's own turn, or that of whoever it waits for."""
    if now.status == RUNNING:
        _notice(course)
    elif now.is_asked:
        _decide(course, now)
    elif now.is_due:
        _take_turns(course)
    elif now.status == HELD:
        _mend(course)
    else:
        time.sleep(min(max(now.due_in, PAUSE_SECONDS), 1.0))
        if now.due_in > 0:
            course.live(points.SWEEP, roles.sweep)


def _is_ruled(course: _Course, now: Stands) -> bool:
    """Let a person say the next of their words, and let what follows of the last come to its end.

    False when it is the turn of the run itself.
    """
    word, undoing = course.word(), course.undoing()
    if word is not None and word.is_due(is_open=now.is_undecided, is_final=now.is_final):
        course.live(points.JUDGE, lambda: rulings.say(course.job, word))
    elif not now.is_final:
        return False
    elif undoing is not None and not undoing.is_final:
        _undo(course, undoing)
    else:
        course.live(points.SWEEP, roles.sweep)
    return True


def _undo(course: _Course, now: Stands) -> None:
    """The run that undoes an effect is one like any other."""
    if now.status == RUNNING:
        _notice(course)
    elif now.is_asked:
        course.live(points.PERSON, lambda: roles.allow_undoing(course.job))
    elif now.is_due:
        _take_turns(course)
    else:
        course.live(points.SWEEP, roles.sweep)


def _decide(course: _Course, now: Stands) -> None:
    if course.scenario.moved and now.order is None:
        course.live(points.MOVE, lambda: roles.move(course.job))
    elif now.order == "":
        _take_turns(course)
    else:
        course.live(points.PERSON, lambda: roles.answer(course.job))


def _mend(course: _Course) -> None:
    """People let a held run go on."""
    if course.scenario.mended_by == points.EDIT:
        course.live(points.EDIT, lambda: roles.edit(course.job))
    elif course.scenario.mended_by == points.PLAN:
        course.live(points.PLAN, lambda: roles.plan(course.job))
        course.live(points.CARRY, lambda: roles.carry(course.job))


def _take_turns(course: _Course) -> None:
    holder = uuid.uuid4()
    if not course.live(points.HORSE, lambda: roles.take_turns(holder, course.job)).in_order:
        course.died = holder


def _notice(course: _Course) -> None:
    """A lease is left behind: the horse's parent gives it away, else the sweeper or a person takes it."""
    holder, course.died = course.died, None
    if course.trial.noticed_by == points.REVOKE:
        course.live(points.REVOKE, lambda: roles.revoke(course.job))
    elif holder is not None and course.trial.noticed_by == points.PARENT:
        course.live(points.PARENT, lambda: roles.give_away(holder))
    else:
        course.live(points.SWEEP, roles.sweep)
        time.sleep(PAUSE_SECONDS)
