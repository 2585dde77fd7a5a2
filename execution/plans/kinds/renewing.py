"""The credential is renewed: the runs that were held for it go on."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints import states as record
from execution.plans.kinds import contract, deciding
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from reconciliation.verdicts import TRY_AGAIN


def assess(given: Assessing) -> Planned | LeftOut:
    """Only what is held for a credential; it is checked again before anything is sent."""
    run = given.subject.run
    if run.status != record.HELD or run.reason != record.CREDENTIAL_INVALID:
        return LeftOut(contract.CHANGED, _("It is not held for a credential."))
    return deciding.assess(given, TRY_AGAIN)


def carry_out(carrying: Carrying) -> Result:
    return deciding.carry_out(carrying, TRY_AGAIN)


def button(n: int) -> str:
    return ngettext("Let %(n)d run go on", "Let %(n)d runs go on", n) % {"n": n}


KIND = Kind(
    "renewed",
    contract.RECONCILE,
    gettext_lazy("The credential is renewed: go on"),
    gettext_lazy("Each run goes on, and the credential is checked again before anything is sent."),
    button,
    assess,
    carry_out,
    transition="resume",
)
