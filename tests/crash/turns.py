"""Whose turn it is in a trial: processes come and go until its run ends."""

import time
import uuid

from checkpoints.states import HELD, OUTCOME_UNKNOWN, RUNNING
from reconciliation import verdicts
from tests.crash import points, roles, rulings
from tests.crash.course import Course
from tests.crash.processes import StuckError
from tests.crash.record import Done, Stands
from tests.crash.registry import TOOLS

PAUSE_SECONDS = 0.01
# Longer windows are not waited for: then the person says what can be said at once.
LONGEST_WINDOW_SECONDS = 5


def carry_on(course: Course, *, until: float) -> None:
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


def _is_over(course: Course, now: Stands) -> bool:
    if course.is_to_be_forked(now):
        return False
    if course.scenario.words:
        return now.is_final and not _is_to_be_decided(course, now)
    return now.is_final or not _may_go_on(course, now)


def _is_to_be_decided(course: Course, now: Stands) -> bool:
    """Whether words are left, a case is not closed, or what is to be undone is not."""
    undoing = course.undoing()
    under_way = undoing is not None and not undoing.is_final
    return now.is_unproven or under_way or course.word() is not None


def _may_go_on(course: Course, now: Stands) -> bool:
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


def _verdict(course: Course, unknown: Done) -> str:
    """What somebody would say who sees the outside world, once nothing can arrive any more."""
    window = TOOLS[unknown.tool].budget_seconds + TOOLS[unknown.tool].margin_seconds
    if window <= LONGEST_WINDOW_SECONDS:
        time.sleep(window)
    if any(effect.key == unknown.key for effect in course.place.effects()):
        return verdicts.IT_HAPPENED
    return verdicts.SEND_AGAIN if window <= LONGEST_WINDOW_SECONDS else verdicts.WRITE_OFF


def _next(course: Course, now: Stands | None) -> None:
    if now is None:
        course.live(points.START, lambda: roles.start(course.job))
    elif course.is_to_be_forked(now):
        course.live(points.FORK, lambda: roles.fork(course.job))
    elif not (course.scenario.words and _is_ruled(course, now)):
        _go_on(course, now)


def _go_on(course: Course, now: Stands) -> None:
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


def _is_ruled(course: Course, now: Stands) -> bool:
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


def _undo(course: Course, now: Stands) -> None:
    """The run that undoes an effect is one like any other."""
    if now.status == RUNNING:
        _notice(course)
    elif now.is_asked:
        course.live(points.PERSON, lambda: roles.allow_undoing(course.job))
    elif now.is_due:
        _take_turns(course)
    else:
        course.live(points.SWEEP, roles.sweep)


def _decide(course: Course, now: Stands) -> None:
    if course.scenario.moved and now.order is None:
        course.live(points.MOVE, lambda: roles.move(course.job))
    elif now.order == "":
        _take_turns(course)
    else:
        course.live(points.PERSON, lambda: roles.answer(course.job))


def _mend(course: Course) -> None:
    """People let a held run go on."""
    if course.scenario.mended_by == points.EDIT:
        course.live(points.EDIT, lambda: roles.edit(course.job))
    elif course.scenario.mended_by == points.PLAN:
        course.live(points.PLAN, lambda: roles.plan(course.job))
        course.live(points.CARRY, lambda: roles.carry(course.job))


def _take_turns(course: Course) -> None:
    holder = uuid.uuid4()
    if not course.live(points.HORSE, lambda: roles.take_turns(holder, course.job)).in_order:
        course.died = holder


def _notice(course: Course) -> None:
    """A lease is left behind: the horse's parent gives it away, else the sweeper or a person takes it."""
    holder, course.died = course.died, None
    if course.trial.noticed_by == points.REVOKE:
        course.live(points.REVOKE, lambda: roles.revoke(course.job))
    elif holder is not None and course.trial.noticed_by == points.PARENT:
        course.live(points.PARENT, lambda: roles.give_away(holder))
    else:
        course.live(points.SWEEP, roles.sweep)
        time.sleep(PAUSE_SECONDS)
