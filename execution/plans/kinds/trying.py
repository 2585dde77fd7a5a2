"""Try again: held runs go on from their last checkpoint, and waiting ones do so now."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints import states as record
from checkpoints import wakeups
from execution.plans import states
from execution.plans.kinds import contract, deciding
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from reconciliation.verdicts import TRY_AGAIN
from tenants.keys import hiding

WAITS_TO_RETRY = "waits"


def assess(given: Assessing) -> Planned | LeftOut:
    """A held run by its case; one that waits to try again needs no verdict."""
    run = given.subject.run
    if run.status == record.WAITING and run.reason == record.FOR_RETRY:
        said = _("It waits to try again, and does so now.")
        return Planned(WAITS_TO_RETRY, said, watched=("status", "head", *contract.EFFECT))
    return deciding.assess(given, TRY_AGAIN)


def carry_out(carrying: Carrying) -> Result:
    """Give the verdict, or wake what waits."""
    if carrying.subject.case is not None:
        return deciding.carry_out(carrying, TRY_AGAIN)
    wakeups.wake(carrying.subject.run.pk, why=hiding.text(carrying.why))
    return Result(states.DONE, _("It was woken."))


def button(n: int) -> str:
    return ngettext("Try %(n)d run again", "Try %(n)d runs again", n) % {"n": n}


KIND = Kind(
    "try_again",
    contract.RECONCILE,
    gettext_lazy("Try again"),
    gettext_lazy("Each run goes on from its last checkpoint. Nothing that was sent is sent again."),
    button,
    assess,
    carry_out,
    transition="resume",
)
