"""Cancel runs: each ends at its next boundary; what it sent stands, what is not sent never is."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints import runs
from checkpoints import states as record
from execution.plans.kinds import contract, deciding
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from reconciliation.verdicts import CANCEL
from tenants import access
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding


def assess(given: Assessing) -> Planned | LeftOut:
    """A held run takes a verdict in its case, and the right for that; any other is asked to end."""
    run = given.subject.run
    if run.status in record.FINAL:
        return LeftOut(contract.CHANGED, _("It has ended."))
    if run.cancel_requested_at is not None:
        return LeftOut(contract.CHANGED, _("It is asked to end already."))
    if run.status == record.HELD:
        if not access.who_may(run.tenant_id, contract.RECONCILE, [given.user.pk]):
            said = _("It is on hold, and deciding its case takes the right to reconcile.")
            return LeftOut(contract.NOT_PERMITTED, said)
        return deciding.assess(given, CANCEL)
    if given.subject.is_out:
        said = _("Its effect is on its way: what became of it is found out first.")
        return Planned("on_its_way", said, watched=contract.EFFECT)
    return Planned(run.status, _("It ends at its next boundary."), watched=contract.EFFECT)


def carry_out(carrying: Carrying) -> Result:
    """Ask the run to end; a held one by the verdict that does."""
    run, user = carrying.subject.run, carrying.user
    if run.status == record.HELD:
        if not access.who_may(run.tenant_id, contract.RECONCILE, [user.pk]):
            raise Denied(run.tenant_id, contract.RECONCILE)
        return deciding.carry_out(carrying, CANCEL)
    runs.request_cancel(run.pk, why=hiding.text(carrying.why), actor=Actor.person(user))
    return contract.UNPROVEN


def button(n: int) -> str:
    return ngettext("Cancel %(n)d run", "Cancel %(n)d runs", n) % {"n": n}


KIND = Kind(
    "cancel",
    contract.OPERATE,
    gettext_lazy("Cancel"),
    gettext_lazy("Each run ends at its next boundary. What it sent stands; nothing more is sent."),
    button,
    assess,
    carry_out,
    transition="cancel",
)
