"""The decision column: who has decided, what is missing, who can still give it, and what I may do."""

from dataclasses import dataclass

from approvals import clock, confirming, judging, proving, states, wording
from approvals.forms import DecisionForm, TakingAwayForm
from approvals.models import ApprovalRequest, Decision
from approvals.queries import Detail
from approvals.wording import Follows
from tenants.amounts import short
from tenants.models import User
from tenants.scope import TenantRequest

# The bases of "why may I not": each has one sentence in `templates/approvals/_why_not.html`.
DAMAGED = "damaged"
NO_RIGHT = "no_right"
OWN_RUN = "own_run"
NOT_SHOWN = "not_shown"


@dataclass(frozen=True)
class Column:
    """What the decision column of one person shows.

    `why_not` is "" when they may decide now, else one of the codes above. `mine` is their own
    decision. `yes` of `needed` people have said yes; `missing` more are needed.
    """

    why_not: str
    mine: Decision | None
    yes: int
    needed: int
    missing: int
    demand: str
    follows: Follows
    code: str
    is_open: bool
    is_over: bool
    may_withdraw: bool
    may_take_back: bool
    others: list[User]
    others_more: int
    form: DecisionForm
    taking_away: TakingAwayForm
    needs_proof: bool = False


def column(
    request: TenantRequest,
    detail: Detail,
    *,
    damaged: bool,
    form: DecisionForm | None = None,
    taking_away: TakingAwayForm | None = None,
) -> Column:
    """The column as the person of this request sees it."""
    asked = detail.request
    mine = next((each for each in detail.decisions if each.user_id == request.user.pk), None)
    needed = detail.requirement.approvers
    missing = max(0, needed - detail.standing)
    is_over = asked.expires_at <= clock.now()
    may = request.access.rights.get(asked.tenant_id, frozenset())
    others = [user for user in detail.still_can if user.pk != request.user.pk]
    return Column(
        why_not=_why_not(asked, request.user, may, damaged=damaged),
        mine=mine,
        yes=detail.standing,
        needed=needed,
        missing=missing,
        demand=wording.demand(needed, yes=detail.standing),
        follows=wording.follows(asked, still_missing=missing),
        code=short(asked.action_hash),
        is_open=asked.state == states.OPEN and not is_over,
        is_over=is_over and asked.state in states.LIVE,
        may_withdraw=asked.state == states.APPROVED
        and bool(may & {"approve_actions", "operate_runs"}),
        may_take_back=asked.state == states.OPEN
        and mine is not None
        and mine.verdict == states.APPROVE
        and not hasattr(mine, "taken_back"),
        others=others,
        others_more=max(0, detail.still_can_count - len(detail.still_can)),
        form=form or _fresh(request, asked),
        taking_away=taking_away or TakingAwayForm(auto_id="taking-away-%s"),
        needs_proof=not damaged and proving.is_needed(asked),
    )


def _fresh(request: TenantRequest, asked: ApprovalRequest) -> DecisionForm:
    kept = {"reason": confirming.draft(request, asked.pk)}
    return DecisionForm(
        initial={"shown": asked.action_hash, "onward": "onward" in request.GET, **kept}
    )


def _why_not(asked: ApprovalRequest, user: User, may: frozenset[str], *, damaged: bool) -> str:
    if damaged:
        return DAMAGED
    if "approve_actions" not in may:
        return NO_RIGHT
    if judging.is_own(asked, user):
        return OWN_RUN
    return "" if "read_payloads" in may else NOT_SHOWN
