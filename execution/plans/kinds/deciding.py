"""What the kinds share that give the same verdict in many cases, each case judged by itself."""

from django.utils.translation import gettext as _

from checkpoints import states as record
from checkpoints.models import Verdict
from execution.plans.kinds import contract
from execution.plans.kinds.contract import Assessing, Carrying, LeftOut, Planned, Result
from reconciliation import outcomes, verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Attempt
from reconciliation.verdicts import Given, second
from tenants import clock
from tenants.moments import moment

NEEDS_WINDOW = (verdicts.IT_DID_NOT, verdicts.SEND_AGAIN)


def assess(given: Assessing, verdict: str) -> Planned | LeftOut:
    """Whether this verdict can be given in the run's open case now, and what follows."""
    run, case = given.subject.run, given.subject.case
    if run.status in record.FINAL:
        return LeftOut(contract.CHANGED, _("It has ended."))
    if case is None:
        return LeftOut(contract.CHANGED, _("It is not on hold."))
    offered = {choice.verdict: choice for choice in verdicts.choices(case)}
    choice = offered.get(verdict)
    if choice is None and case.kind == record.OUTCOME_UNKNOWN:
        return LeftOut(contract.EFFECT_UNKNOWN, _("What became of its effect comes first."))
    if choice is None:
        return LeftOut("not_offered", _("Its case cannot be decided like that."))
    if choice.needs_evidence and not str(given.terms.get("evidence", "")).strip():
        return LeftOut("no_evidence", _("There is no evidence for it."))
    late = _may_still_arrive(given) if verdict in NEEDS_WINDOW else None
    if late is not None:
        return late
    demanded = second.demand(case, verdict, given.user)
    why = ", ".join(demanded.rules) if demanded.people > 1 else ""
    return Planned(case.kind, choice.follows, {"verdict": verdict}, second=why)


def carry_out(carrying: Carrying, verdict: str) -> Result:
    """Give the verdict in the name of who ordered it; proven when the run commits past it."""
    case = carrying.subject.case
    if case is None:
        raise AssertionError("what was planned for a case is compared before")
    given = Given(verdict, carrying.why, str(carrying.terms.get("evidence", "")))
    kept = verdicts.give(case.pk, given, user=carrying.user, second_person=carrying.second)
    if not isinstance(kept, Verdict):
        raise VerdictRefusedError(_("it takes a second person, and the plan had none"))
    return contract.UNPROVEN


def _may_still_arrive(given: Assessing) -> LeftOut | None:
    action = given.subject.action
    out = Attempt.objects.filter(action=action, outcome="").first() if action else None
    if out is None or clock.now() > outcomes.window_end(out):
        return None
    until = moment(outcomes.window_end(out))
    return LeftOut("window", _("It may still arrive until %(until)s.") % {"until": until})
