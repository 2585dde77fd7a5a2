"""Follow up: each effect gets a run of its own that writes to whom it concerns, and asks first.

Starting a run takes the locks of stops, which come before those of runs: so it locks no run here.
"""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from canonical import digests
from execution.plans import states
from execution.plans.errors import PlanRefusedError
from execution.plans.kinds import contract
from execution.plans.kinds.contract import (
    Assessing,
    Carrying,
    Kind,
    LeftOut,
    Planned,
    Result,
    Terms,
)
from reconciliation import followups
from reconciliation import states as world
from reconciliation.errors import FollowUpRefusedError
from reconciliation.followups import Wanted
from reconciliation.models import Action
from reconciliation.tools import FollowUp

CHANNEL: Final = "plan"
WATCHED: Final = ("action", "outcome")
LONGEST: Final = 2_000  # characters that can be said


def assess(given: Assessing) -> Planned | LeftOut:
    """Only what happened, of a tool that has a follow-up, and what was not told this already."""
    action = given.subject.action
    if action is None or action.outcome != world.HAPPENED:
        return LeftOut(contract.CHANGED, _("It did not happen, as far as anybody knows."))
    how = followups.declared(action.tool)
    if how is None:
        return LeftOut("no_follow_up", _("No task type is declared that follows it up."))
    wanted = _wanted(action, how, given.terms, "")
    if followups.is_begun(action, wanted.beginning):
        return LeftOut("followed_up", _("A run says exactly this already, or has said it."))
    try:
        followups.refuse_if_impossible(action, given.subject.run, wanted)
    except FollowUpRefusedError as error:
        return LeftOut("cannot_be_followed", str(error))
    said = _("A run of %(task)s follows it: a dry run and a yes of its own come first.")
    return Planned(action.tool, said % {"task": how.task_type}, watched=WATCHED)


def carry_out(carrying: Carrying) -> Result:
    """Start the run that follows it; what it wants to send is asked about like everything else."""
    action = carrying.subject.action
    how = followups.declared(action.tool) if action else None
    if action is None or how is None:
        raise FollowUpRefusedError("no task type is declared any more that follows it up")
    wanted = _wanted(action, how, carrying.terms, carrying.why)
    if followups.is_begun(action, wanted.beginning):
        raise FollowUpRefusedError("a run says exactly this already, or has said it")
    made = followups.start(action, wanted, user=carrying.user)
    return Result(states.DONE, _("Run %(id)s follows it, and asks first.") % {"id": made.pk})


def refuse(terms: Terms) -> None:
    """What is said, is said once, for all of them."""
    said = str(terms.get("say", "")).strip()
    if not said:
        raise PlanRefusedError(_("say what is to be said to them"))
    if len(said) > LONGEST:
        raise PlanRefusedError(_("say it in at most %(n)d characters") % {"n": LONGEST})


def button(n: int) -> str:
    return ngettext("Begin %(n)d follow-up", "Begin %(n)d follow-ups", n) % {"n": n}


def _wanted(action: Action, how: FollowUp, terms: Terms, why: str) -> Wanted:
    """The same words about the same effect are one follow-up; other words are another."""
    say = str(terms.get("say", "")).strip()
    beginning = f"follow-up {action.pk} {digests.sha256_hex(say.encode())[:12]}"
    return Wanted(how, beginning, CHANNEL, why, say)


KIND = Kind(
    "follow_up",
    contract.OPERATE,
    gettext_lazy("Write to whom they concern"),
    gettext_lazy(
        "A run of its own follows each: it writes what you say below to the recipient or holder. "
        "Nothing is sent before somebody says yes to it."
    ),
    button,
    assess,
    carry_out,
    locks_itself=True,
    of_terms=("say",),
    refuse=refuse,
)
