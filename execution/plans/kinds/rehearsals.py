"""Rehearse a migrator over many runs without writing, then let go on those that it can read."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints import states as record
from execution.plans import states
from execution.plans.kinds import contract, deciding
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from execution.plans.rehearsing import UnreadableError, rehearse
from reconciliation.verdicts import TRY_AGAIN

UNREADABLE = "unreadable"


def assess_rehearsal(given: Assessing) -> Planned | LeftOut:
    """Any run that is not over: a rehearsal changes nothing, so nothing about it can have moved."""
    run = given.subject.run
    if run.status in record.FINAL:
        return LeftOut(contract.CHANGED, _("It has ended."))
    return Planned(run.status, _("Its newest state is read and migrated; nothing is kept."))


def carry_out_rehearsal(carrying: Carrying) -> Result:
    return Result(states.DONE, rehearse(carrying.subject.run))


def assess_release(given: Assessing) -> Planned | LeftOut:
    """Of those held as unmigratable the ones that this code reads by now."""
    run = given.subject.run
    if run.status != record.HELD or run.reason != record.UNMIGRATABLE:
        return LeftOut(contract.CHANGED, _("It is not held because it cannot be migrated."))
    planned = deciding.assess(given, TRY_AGAIN)
    if isinstance(planned, LeftOut):
        return planned
    try:
        said = rehearse(run)
    except UnreadableError as error:
        return LeftOut(UNREADABLE, str(error))
    return Planned(planned.code, said, planned.facts, second=planned.second)


def carry_out_release(carrying: Carrying) -> Result:
    """Rehearsed once more under the lock: the code may be another since the review."""
    rehearse(carrying.subject.run)
    return deciding.carry_out(carrying, TRY_AGAIN)


def rehearse_button(n: int) -> str:
    return ngettext("Rehearse over %(n)d run", "Rehearse over %(n)d runs", n) % {"n": n}


def release_button(n: int) -> str:
    return ngettext("Let %(n)d run go on", "Let %(n)d runs go on", n) % {"n": n}


REHEARSE = Kind(
    "rehearse",
    contract.OPERATE,
    gettext_lazy("Rehearse the migrators"),
    gettext_lazy("Each newest state is read and migrated by this code. Nothing is written."),
    rehearse_button,
    assess_rehearsal,
    carry_out_rehearsal,
)
RELEASE = Kind(
    "release",
    contract.RECONCILE,
    gettext_lazy("Let go on those that this code reads"),
    gettext_lazy("Each is rehearsed, and goes on if it passes. Those that do not are left out."),
    release_button,
    assess_release,
    carry_out_release,
    transition="resume",
)
