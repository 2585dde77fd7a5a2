"""Ask expired approvals again: runs that ended because nobody decided in time go on as forks that ask.

A run that has ended stays as it is. Its fork begins before the proposal, proposes again under the
same key, and asks; nothing is sent before somebody says yes.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints import states as record
from checkpoints.models import Run
from execution.forks import compatible, making, previews
from execution.plans import states
from execution.plans.kinds import contract
from execution.plans.kinds.contract import Assessing, Carrying, Kind, LeftOut, Planned, Result
from reconciliation import states as world
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.keys import hiding

WATCHED = ("status", "head", "fence")
CANNOT = "cannot_be_forked"


def assess(given: Assessing) -> Planned | LeftOut:
    """Only what failed because an approval expired, and can be forked from before its proposal."""
    run = given.subject.run
    if run.status != record.FAILED or run.stop_reason != record.EXPIRED:
        return LeftOut(contract.CHANGED, _("It did not end because an approval expired."))
    seq, here = _before_the_proposal(run), compatible.installed(run.task_type)
    if seq is None or here is None:
        return LeftOut(CANNOT, _("Where it would ask again is not known here."))
    why_not = previews.source_why_not(run) or compatible.checkpoint_why_not(run, seq)
    if why_not:
        return LeftOut(CANNOT, why_not)
    seen = previews.preview(run, seq, here, frozenset(), withdraws=False)
    if seen.forecast.blocked:
        return LeftOut(contract.EFFECT_UNKNOWN, str(previews.BLOCKED))
    facts = {"seq": seq, "seen": seen.digest}
    return Planned(record.EXPIRED, seen.forecast.sentence, facts, watched=WATCHED)


def carry_out(carrying: Carrying) -> Result:
    """Fork it as it was reviewed; what moved since is refused by the fork itself."""
    wanted = making.Wanted(
        seq=int(carrying.was["seq"]),
        reason=hiding.text(carrying.why),
        token=carrying.token,
        seen=str(carrying.was["seen"]),
    )
    actor = Actor.person(carrying.user)
    made, _created = making.fork(carrying.subject.run, wanted, actor=actor)
    return Result(states.DONE, _("Run %(id)s goes on from there and asks.") % {"id": made.pk})


def button(n: int) -> str:
    return ngettext("Ask %(n)d approval again", "Ask %(n)d approvals again", n) % {"n": n}


def _before_the_proposal(run: Run) -> int | None:
    expired = Action.objects.filter(run=run, because=world.EXPIRED).order_by("-proposed_seq")
    seq = expired.values_list("proposed_seq", flat=True).first()
    return None if seq is None else seq - 1


KIND = Kind(
    "ask_again",
    contract.OPERATE,
    gettext_lazy("Ask expired approvals again"),
    gettext_lazy(
        "Each ended run is forked before its proposal, and asks. Nothing is sent before a yes."
    ),
    button,
    assess,
    carry_out,
    locks_itself=True,
)
