"""Look up again: the tools are asked once more what became of effects. Nothing is sent."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints import states as record
from checkpoints import wakeups
from execution.plans import states
from execution.plans.kinds import contract, deciding
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from reconciliation.verdicts import LOOK_UP_AGAIN
from tenants.keys import hiding

ASKS_BY_ITSELF = (record.FOR_LOOK_UP, record.FOR_SETTLING)


def assess(given: Assessing) -> Planned | LeftOut:
    """A held run by its case; one that waits to ask again does so now."""
    run = given.subject.run
    if run.status == record.WAITING and run.reason in ASKS_BY_ITSELF:
        said = _("It waits to ask again, and does so now.")
        return Planned("waits", said, watched=contract.EFFECT)
    if run.status != record.HELD or run.reason != record.OUTCOME_UNKNOWN:
        return LeftOut(contract.CHANGED, _("None of its effects is unknown."))
    planned = deciding.assess(given, LOOK_UP_AGAIN)
    if isinstance(planned, LeftOut) and planned.code == contract.EFFECT_UNKNOWN:
        return LeftOut("cannot_be_asked", _("Its tool cannot be asked: a person has to know."))
    return planned


def carry_out(carrying: Carrying) -> Result:
    """Let the engine ask: outside this transaction, by whoever takes the run."""
    if carrying.subject.case is not None:
        return deciding.carry_out(carrying, LOOK_UP_AGAIN)
    wakeups.wake(carrying.subject.run.pk, why=hiding.text(carrying.why))
    return Result(states.DONE, _("It was woken to ask again."))


def button(n: int) -> str:
    return ngettext("Look %(n)d effect up again", "Look %(n)d effects up again", n) % {"n": n}


KIND = Kind(
    "look_up",
    contract.RECONCILE,
    gettext_lazy("Look up again"),
    gettext_lazy("Each tool is asked once more what became of the effect. Nothing is sent."),
    button,
    assess,
    carry_out,
    transition="resume",
)
