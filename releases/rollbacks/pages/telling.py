"""Rollbacks in words: what a phase does, what becomes of a run, where an effect stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkpoints.pages.forms import title_of
from releases.rollbacks import phases
from releases.rollbacks.leaving import Undoing
from releases.rollbacks.models import Rollback

PHASES: Final[Mapping[str, Promise]] = {
    phases.STOPPING: gettext_lazy("Stop new runs of the combo"),
    phases.HOLDING: gettext_lazy("Hold runs in flight at their next boundary"),
    phases.RESTORING: gettext_lazy("Restore the whole previous combo"),
    phases.RECONCILING: gettext_lazy("List every effect, find out about open ones"),
    phases.RELEASING: gettext_lazy("Let each held run go on, be forked, end or wait"),
    phases.CLOSING: gettext_lazy("Close, when nothing is open"),
}
KINDS: Final[Mapping[str, Promise]] = {
    phases.CONTINUES: gettext_lazy("can go on under the older combo as they are"),
    phases.MIGRATES: gettext_lazy("need the down-migrator, which is there"),
    phases.PINNED: gettext_lazy("wait for an approval, which is withdrawn"),
    phases.IN_FLIGHT: gettext_lazy("have an effect out, which is found out about first"),
    phases.ON_HOLD: gettext_lazy("are on hold, and their case is decided by a person"),
    phases.FORWARD_ONLY: gettext_lazy("only go forward: no migrator leads back"),
}
CHOICES: Final[Mapping[str, Promise]] = {
    phases.TO_GO_ON: gettext_lazy("go on under the older combo, with what they made so far"),
    phases.TO_FORK: gettext_lazy("end, and be forked from before this combo"),
    phases.TO_CANCEL: gettext_lazy("be cancelled"),
    phases.TO_WAIT: gettext_lazy("wait until a person lifts the stop"),
}
BECAME: Final[Mapping[str, Promise]] = {
    phases.WENT_ON: gettext_lazy("goes on under the older combo"),
    phases.FORKED: gettext_lazy("was forked onto the older combo"),
    phases.CANCELLED: gettext_lazy("was cancelled"),
    phases.WAITS: gettext_lazy("waits behind the stop"),
    phases.ENDED_ITSELF: gettext_lazy("ended by itself"),
}
EFFECTS: Final[Mapping[str, Promise]] = {
    phases.UNKNOWN: gettext_lazy("nobody knows yet"),
    phases.ATTEMPTING: gettext_lazy("on its way"),
    phases.HAPPENED: gettext_lazy("happened"),
    phases.ORPHANED: gettext_lazy("written off: nobody can know"),
    phases.APPROVED: gettext_lazy("approved, and not sent"),
    phases.PROPOSED: gettext_lazy("proposed, and not sent"),
    phases.COMPENSATED: gettext_lazy("compensated"),
    phases.REFUSED: gettext_lazy("did not happen"),
}
SIGNED: Final[Mapping[str, Promise]] = {
    phases.RECONCILED: gettext_lazy("Reconciled: nothing of it is outside"),
    phases.COMPENSATED: gettext_lazy("Compensated"),
    phases.ACCEPTED: gettext_lazy("Accepted"),
}
# `pill` knows these states under the words that actions have.
EFFECT_PILLS: Final = {state: state for state in phases.EFFECT_STATES} | {
    phases.ATTEMPTING: "dispatched",
    phases.ORPHANED: "written_off",
    phases.REFUSED: "did_not_happen",
}


@dataclass(frozen=True)
class Step:
    """One of the six phases as the page lists it: is it over, now, or to come."""

    number: int
    words: str
    state: str
    since: datetime | None


def steps(rollback: Rollback) -> list[Step]:
    """The six phases in order."""
    at = phases.number(rollback.phase)
    return [_step(rollback, number, phase, at) for number, phase in enumerate(phases.SIX, 1)]


def pill(rollback: Rollback) -> str:
    """The code of its pill."""
    if rollback.ended:
        return rollback.ended
    if rollback.paused_at is not None:
        return "rollback_paused"
    return "planned" if rollback.phase == phases.PLANNED else "rolling_back"


def waits(rollback: Rollback) -> str:
    """What it waits for now, in one sentence."""
    if rollback.ended == phases.CLOSED:
        return _("Closed: nothing is open. The combo stays stopped.")
    if rollback.ended:
        return _("Given up before it began. Nothing was moved.")
    if rollback.paused_at is not None:
        return _("Paused by %(who)s.") % {"who": rollback.paused_by}
    if rollback.phase == phases.PLANNED:
        return _("Nothing has moved yet.")
    return rollback.waits_for or _("The sweeper is at it.")


def started(rollback: Rollback) -> str:
    """Who set it going."""
    if rollback.started_by is not None:
        return str(rollback.started_by)
    return _("the policy of the release")


def undoing(how: Undoing | None) -> str:
    """Whether an effect that is outside can be undone, and by which run with which tools."""
    if how is None:
        return _("Nothing is declared that undoes it: it is accepted with a reason")
    told = {"task": title_of(how.task_type), "tools": ", ".join(how.tools)}
    return _("Can be compensated from the board: a run of “%(task)s” with %(tools)s") % told


def _step(rollback: Rollback, number: int, phase: str, at: int) -> Step:
    if number < at or rollback.phase == phases.CLOSED:
        state = "over"
    else:
        state = "now" if number == at else "to_come"
    return Step(number, str(PHASES[phase]), state, rollback.phase_at if number == at else None)
