"""What a provider's report has exactly: it happened, with the line as evidence. Nothing is sent.

Also for a run that still waits to ask: its case is opened and decided in one transaction, so that
what a person said of an effect stands in a case like everything else people say.
"""

from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints import holding
from checkpoints import states as record
from checkpoints.cases import Trouble
from checkpoints.models import Case, Run
from execution.plans.kinds import contract, deciding
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from execution.work import WORKER
from reconciliation.verdicts import IT_HAPPENED
from tenants.keys import hiding

WAITS_TO_ASK = (record.FOR_LOOK_UP, record.FOR_SETTLING, record.FOR_DOOR)


def assess(given: Assessing) -> Planned | LeftOut:
    """Whether nobody knows yet what the line says; by its case, or by the run that waits."""
    subject = given.subject
    if subject.action is None or not subject.is_out:
        return LeftOut(contract.CHANGED, _("What became of its effect is known by now."))
    if subject.case is not None:
        return deciding.assess(given, IT_HAPPENED)
    if subject.run.status == record.WAITING and subject.run.reason in WAITS_TO_ASK:
        said = _("It waits to ask the tool; the report answers instead. Nothing is sent.")
        return Planned("waits", said, watched=contract.EFFECT)
    return LeftOut(contract.CHANGED, _("It is at work: what its tool answers comes first."))


def carry_out(carrying: Carrying) -> Result:
    """Decide its case in the name of who ordered it, with the line as evidence."""
    if carrying.subject.case is None:
        carrying = replace(
            carrying, subject=replace(carrying.subject, case=_case_of(carrying.subject.run))
        )
    return deciding.carry_out(carrying, IT_HAPPENED)


def _case_of(run: Run) -> Case:
    """The case that spent patience would have opened, opened now."""
    action = run.actions.get(absorbed_seq=None)
    said = hiding.text(f"“{action.describe}” was sent and no answer came; a report has it.")
    facts = hiding.texts(error="no answer", tool=action.tool, target=action.target)
    trouble = Trouble(record.OUTCOME_UNKNOWN, said, facts, action.pk)
    holding.hold_now(run, trouble, actor=WORKER)
    return Case.objects.get(run=run, decided_at=None, closed_at=None)


def button(n: int) -> str:
    return ngettext(
        "Believe the report of %(n)d effect", "Believe the report of %(n)d effects", n
    ) % {"n": n}


KIND = Kind(
    "reported",
    contract.RECONCILE,
    gettext_lazy("It happened, by the provider's report"),
    gettext_lazy("Each run goes on as if the answer had arrived. Nothing is sent."),
    button,
    assess,
    carry_out,
    transition="resume",
)
