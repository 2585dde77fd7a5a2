"""The same verdict in many cases of unknown outcome, on shared evidence or each on its own."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from execution.plans.errors import PlanRefusedError
from execution.plans.kinds import contract, deciding
from execution.plans.kinds.contract import (
    Assessing,
    Carrying,
    Kind,
    LeftOut,
    Planned,
    Result,
    Terms,
)
from reconciliation.verdicts import choosing

# What can be said of many at once; each says what follows in the words of the case page.
OFFERED = {
    choice.verdict: choice
    for choice in (choosing.HAPPENED, choosing.DID_NOT, choosing.AGAIN, choosing.WRITE_OFF)
}


def assess(given: Assessing) -> Planned | LeftOut:
    return deciding.assess(given, str(given.terms["verdict"]))


def carry_out(carrying: Carrying) -> Result:
    return deciding.carry_out(carrying, str(carrying.terms["verdict"]))


def refuse(terms: Terms) -> None:
    """The verdict is said once, for all of them."""
    if terms.get("verdict") not in OFFERED:
        raise PlanRefusedError(_("say which verdict is to be given"))


def button(n: int) -> str:
    return ngettext("Give the verdict in %(n)d case", "Give the verdict in %(n)d cases", n) % {
        "n": n
    }


KIND = Kind(
    "verdict",
    contract.RECONCILE,
    gettext_lazy("Give one verdict in all of them"),
    gettext_lazy("Each case is decided by itself. Nothing is sent."),
    button,
    assess,
    carry_out,
    transition="resume",
    of_terms=("verdict", "evidence"),
    refuse=refuse,
)
