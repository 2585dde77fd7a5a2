"""Compensate: each effect gets a run of its own that undoes it, with its own dry run and yes.

Starting a run takes the locks of stops, which come before those of runs: so it locks no run here.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from execution.plans import states
from execution.plans.kinds import contract
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from reconciliation import followups, undone
from reconciliation import states as world
from reconciliation.models import Action
from reconciliation.verdicts import compensating

CHANNEL = "plan"
WATCHED = ("action", "outcome")


def assess(given: Assessing) -> Planned | LeftOut:
    """Only what happened, of a tool whose effects can be undone, and what nobody undoes yet."""
    action = given.subject.action
    if action is None or action.outcome != world.HAPPENED:
        return LeftOut(contract.CHANGED, _("It did not happen, as far as anybody knows."))
    how = compensating.declared(action.tool)
    if how is None:
        return LeftOut("cannot_be_undone", _("No task type is declared that undoes it."))
    if _is_undone(action):
        return LeftOut("undone", _("It is undone already, or a run is at it."))
    said = _("A run of %(task)s undoes it: a dry run and a yes of its own come first.")
    return Planned(action.tool, said % {"task": how.task_type}, watched=WATCHED)


def carry_out(carrying: Carrying) -> Result:
    """Start the run that undoes it; what it wants to send is asked about like everything else."""
    action = carrying.subject.action
    if action is None:
        raise AssertionError("what was planned for an effect is compared before")
    made = compensating.undo(action, why=carrying.why, channel=CHANNEL, user=carrying.user)
    return Result(states.DONE, _("Run %(id)s undoes it, and asks first.") % {"id": made.pk})


def button(n: int) -> str:
    return ngettext("Begin to undo %(n)d effect", "Begin to undo %(n)d effects", n) % {"n": n}


def _is_undone(action: Action) -> bool:
    return undone.by(action) is not None or followups.is_begun(
        action, compensating.beginning(action)
    )


KIND = Kind(
    "compensate",
    contract.OPERATE,
    gettext_lazy("Undo these effects"),
    gettext_lazy("A run of its own undoes each. Nothing is sent before somebody says yes to it."),
    button,
    assess,
    carry_out,
    locks_itself=True,
)
